# Two stages: the first builds the wheel with tools/wheel, as a release does; the second installs it with the packages of the lock
# file, so the image has no demo, no benches, no training and no compiler. docs/how-to/run-in-containers.md has the command that
# pins BASE by digest, and tools/image, which takes these steps where no container engine runs.
ARG BASE=debian:13-slim
FROM ${BASE} AS build
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv git ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/source
COPY . .
RUN python3 -m venv /srv/build && /srv/build/bin/pip install -q --require-hashes --no-deps -r requirements.lock
RUN git config --global --add safe.directory /srv/source && PYTHON=/srv/build/bin/python tools/wheel /srv/wheel

FROM ${BASE}
ENV DEBIAN_FRONTEND=noninteractive PYTHONUNBUFFERED=1
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv ca-certificates \
    tesseract-ocr tesseract-ocr-eng libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
    fonts-ebgaramond fonts-junicode fonts-dancingscript fonts-dejavu-core fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /srv/wheel /srv/wheel
COPY requirements.lock /srv/
RUN python3 -m venv /srv/galloper && /srv/galloper/bin/pip install -q --require-hashes --no-deps -r /srv/requirements.lock \
    && /srv/galloper/bin/pip install -q --no-deps --no-index /srv/wheel/*.whl && rm -rf ~/.cache
RUN useradd --system --home /var/lib/galloper --create-home galloper
USER galloper
VOLUME /var/lib/galloper
EXPOSE 8642
# /alive answers while the process and its database do. A worker has no web server: switch the check off there (compose.yaml).
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["/srv/galloper/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8642/alive', timeout=8)"]
ENTRYPOINT ["/srv/galloper/bin/galloper"]
CMD ["serve", "/var/lib/galloper"]
