import { bundledProgram } from "@framework/bundled-sources";
import { startProgram, waitFor } from "@framework/testing";
import { afterEach, expect, test } from "@jest/globals";
import { destinations } from "./settings/destinations.ts";
import { fromEnvironment } from "./settings/environment.ts";
import { get, newApp, tracedService } from "./traced-app.test-kit.ts";

const previous = new Map<string, string | undefined>();
const setVariable = (name: string, value: string): void => {
  previous.set(name, process.env[name]);
  process.env[name] = value;
};
afterEach(() => {
  for (const [name, value] of previous) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  previous.clear();
});

test("reads the standard variables", () => {
  expect(
    fromEnvironment({
      OTEL_SERVICE_NAME: "books",
      OTEL_RESOURCE_ATTRIBUTES:
        "service.name=other,service.version=2.0,deployment.environment.name=north%20west",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_PROPAGATORS: "none",
      OTEL_BSP_MAX_QUEUE_SIZE: "10",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_EXPORTER_OTLP_TIMEOUT: "200",
      OTEL_METRIC_EXPORT_INTERVAL: "300",
    }),
  ).toEqual({
    isDisabled: false,
    mistakes: [],
    given: {
      serviceName: "books",
      serviceVersion: "2.0",
      resourceAttributes: { "deployment.environment.name": "north west" },
      samplingRate: 0.25,
      propagation: "none",
      queueSize: 10,
      batchSize: 5,
      batchDelayMs: 100,
      exportTimeoutMs: 200,
      metricIntervalMs: 300,
    },
  });
});

test("ignores malformed and unsupported variables, and names each of them", () => {
  const { given, mistakes } = fromEnvironment({
    OTEL_SERVICE_NAME: " ",
    OTEL_RESOURCE_ATTRIBUTES: "a",
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_PROPAGATORS: "b3",
    OTEL_BSP_MAX_QUEUE_SIZE: "many",
  });
  expect(given).toEqual({});
  expect(mistakes.map((mistake) => mistake.split(" ", 1)[0])).toEqual([
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_TRACES_SAMPLER",
    "OTEL_PROPAGATORS",
    "OTEL_BSP_MAX_QUEUE_SIZE",
  ]);
});

const malformed: Readonly<Record<string, string>> = {
  OTEL_SDK_DISABLED: "yes",
  OTEL_TRACES_EXPORTER: "zipkin",
  OTEL_METRICS_EXPORTER: "prometheus",
  OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "key@collector",
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
  OTEL_EXPORTER_OTLP_HEADERS: "secret-key",
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: "api-key=%",
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "100",
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: "12",
};

test.each(Object.entries(malformed))("the warning about %s=%s has the name, not the value", (name, value) => {
  const { given, mistakes, isDisabled } = fromEnvironment({ [name]: value });
  expect([given, isDisabled, mistakes.length]).toEqual([{}, false, 1]);
  expect(mistakes[0]).toMatch(RegExp(`^${name} is ignored: it must be `));
  expect(mistakes[0]).not.toContain(value);
});

test("each malformed variable is a warning, and the app starts", async () => {
  await using program = await startProgram(
    bundledProgram(new URL("./workers.test-program.ts", import.meta.url)),
    {
      args: ["--workers", "1"],
      conditions: ["@framework/source"],
      env: { ...malformed, OTEL_RESOURCE_ATTRIBUTES: "service.name=,service.version=" },
    },
  );
  const ignoredNames = () =>
    program
      .output()
      .matchAll(/(OTEL_\w+) is ignored/g)
      .map(([, name]) => name);
  await waitFor(() => new Set(ignoredNames()).size >= Object.keys(malformed).length);
  expect(new Set(ignoredNames())).toEqual(new Set(Object.keys(malformed)));
});

test("resource attributes are decoded, and all are ignored if there are too many", () => {
  const read = (text: string) => fromEnvironment({ OTEL_RESOURCE_ATTRIBUTES: text });
  expect(read("k8s.label.app%2Fname=a%2Cb%3Dc,service.name=,service.version=").given).toEqual({
    resourceAttributes: { "k8s.label.app/name": "a,b=c" },
  });
  const many = Array.from({ length: 101 }, (_, at) => `a${at}=1`).join();
  expect(read(many)).toMatchObject({ given: {}, mistakes: [expect.stringContaining("at most 100")] });
});

test("malformed resource attributes do not affect the service's name", () => {
  const env = { OTEL_SERVICE_NAME: "books", OTEL_RESOURCE_ATTRIBUTES: "team" };
  expect(fromEnvironment(env).given).toEqual({ serviceName: "books" });
});

const config = { otlpEndpoint: undefined, protocol: undefined, exportTraces: true, exportMetrics: true };
const base = "http://collector.test:4318";

test("the program's endpoint takes precedence, then a signal's own, then the common endpoint", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/in/`,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces.test/as-it-is",
  };
  expect(destinations(config, env, false)).toEqual({
    traces: { to: "http", url: "http://traces.test/as-it-is" },
    metrics: { to: "http", url: `${base}/in/v1/metrics` },
  });
  expect(destinations({ ...config, otlpEndpoint: base }, env, false).traces.url).toBe(`${base}/v1/traces`);
});

test("for a malformed endpoint or protocol of a signal, the common value is used", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4318",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
  };
  expect(destinations(config, env, false).traces).toEqual({ to: "grpc", url: base });
});

test("port 4317 and the protocol's variables choose gRPC, and exporters can be none or the console", () => {
  const grpc = { to: "grpc", url: "http://collector.test:4317" };
  expect(destinations({ ...config, otlpEndpoint: grpc.url }, {}, false).traces).toEqual(grpc);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_METRICS_EXPORTER: "none",
  };
  expect(destinations(config, env, false)).toEqual({
    traces: { to: "grpc", url: base },
    metrics: { to: "none", url: "" },
  });
  expect(destinations(config, { OTEL_TRACES_EXPORTER: "console" }, false).traces.to).toBe("console");
  expect([destinations(config, {}, true).traces.to, destinations(config, {}, false).traces.to]).toEqual([
    "console",
    "none",
  ]);
});

test("the program's options take precedence over the environment, and collector headers come from the environment", async () => {
  setVariable("OTEL_SERVICE_NAME", "of-environment");
  setVariable("OTEL_RESOURCE_ATTRIBUTES", "team=blue");
  setVariable("OTEL_EXPORTER_OTLP_HEADERS", "x-collector-key=k1");
  await using service = await tracedService({ serviceName: "of-program" });
  service.app.get("/", () => "x");
  await get(service.app, "/");
  const { spans, requests } = await service.finish();
  expect(spans[0]?.resource).toMatchObject({ "service.name": "of-program", team: "blue" });
  expect(requests[0]?.headers["x-collector-key"]).toBe("k1");
});

test("resource attributes of the program are added to those of the environment, and may name the service", async () => {
  setVariable("OTEL_RESOURCE_ATTRIBUTES", "team=blue,region=north,service.name=of-environment");
  await using service = await tracedService({
    resourceAttributes: { team: "red", "service.name": "of-program", "service.version": "2.0" },
  });
  service.app.get("/", () => "x");
  await get(service.app, "/");
  const { spans } = await service.finish();
  expect(spans[0]?.resource).toMatchObject({
    team: "red",
    region: "north",
    "service.name": "of-program",
    "service.version": "2.0",
  });
});

test("with OTEL_SDK_DISABLED no spans are created", async () => {
  setVariable("OTEL_SDK_DISABLED", "true");
  await using service = await tracedService();
  service.app.get("/", () => "x");
  expect((await get(service.app, "/")).headers.get("x-trace-id")).toBeNull();
  expect((await service.finish()).requests).toEqual([]);
});

test("all mistakes in the options are reported at start", async () => {
  const app = newApp().enableTelemetry({
    otlpEndpoint: "collector:4317?key=hidden",
    queueSize: 0,
    baggageKeys: ["a b"],
  });
  const error = await app.start().then(String, String);
  for (const field of ["otlpEndpoint", "queueSize", "baggageKeys"])
    expect(error).toContain(`OpenTelemetryConfig.${field}`);
  expect(error).not.toContain("hidden");
});
