# Installs by the same script as the Makefile, so that what CI proves is what this image runs.
FROM debian:12-slim
ENV DEBIAN_FRONTEND=noninteractive PYTHONUNBUFFERED=1
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv ca-certificates fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/galloper
COPY . .
RUN tools/setup run && rm -rf /var/lib/apt/lists/*
RUN useradd --system --home /var/lib/galloper --create-home galloper
USER galloper
VOLUME /var/lib/galloper
EXPOSE 8642
ENTRYPOINT ["/srv/galloper/.venv/bin/galloper"]
CMD ["serve", "/var/lib/galloper"]
