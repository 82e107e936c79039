# Installs by the same script as the Makefile, so that what CI proves is what this image runs.
FROM debian:13-slim
ENV DEBIAN_FRONTEND=noninteractive PYTHONUNBUFFERED=1
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv ca-certificates fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/galloper
COPY . .
RUN tools/setup run && rm -rf /var/lib/apt/lists/* ~/.cache
RUN useradd --system --home /var/lib/galloper --create-home galloper
USER galloper
VOLUME /var/lib/galloper
EXPOSE 8642
# /alive answers while the process and its database do. A worker has no web server: switch the check off there (compose.yaml).
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["/srv/galloper/.venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8642/alive', timeout=8)"]
ENTRYPOINT ["/srv/galloper/.venv/bin/galloper"]
CMD ["serve", "/var/lib/galloper"]
