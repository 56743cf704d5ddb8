# Tether's server. State is one SQLite file in /var/lib/tether, or Postgres through TETHER_DATABASE_URL.
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/tether && /opt/tether/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app ./app
COPY deploy/github-app.json ./deploy/github-app.json
COPY tests/scenarios ./tests/scenarios
# hatchling builds the wheel; its own pins stand in requirements-dev.lock
COPY requirements-dev.lock ./
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements-dev.lock \
 && /opt/build/bin/pip wheel --no-deps --no-build-isolation -w /wheels . \
 && /opt/tether/bin/pip install --no-cache-dir --no-deps /wheels/*.whl

FROM python:3.13-slim
RUN apt-get update && apt-get install --no-install-recommends -y git && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home /var/lib/tether --create-home tether
COPY --from=build /opt/tether /opt/tether
USER tether
WORKDIR /var/lib/tether
ENV PATH=/opt/tether/bin:$PATH PYTHONUNBUFFERED=1 TETHER_DATABASE_URL=sqlite:////var/lib/tether/tether.db
VOLUME /var/lib/tether
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["tether"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
