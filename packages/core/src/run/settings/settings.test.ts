import { devNull } from "node:os";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { RunOptions } from "./run-options.ts";
import { resolveSettings, type SettingInputs } from "./settings.ts";

const resolve = (options: RunOptions = {}, inputs: Partial<SettingInputs> = {}) =>
  resolveSettings(options, { flags: {}, environment: {}, cpus: 8, ...inputs });

test("the defaults are loopback, port 8000, development, debug, one worker and request logs", () => {
  const { settings, problems } = resolve();
  expect(problems).toEqual([]);
  expect(settings).toMatchObject({
    host: "127.0.0.1",
    port: 8000,
    env: "development",
    debug: true,
    workers: 1,
    reload: false,
    logs: true,
    tls: undefined,
    transport: "fast",
    trustedProxies: [],
  });
  expect(settings.cluster).toMatchObject({ maxRestarts: 5, shutdownTimeoutSecs: 30 });
  expect(settings.limits.maxHeaderFields).toBe(100);
  expect(settings.timeouts.idleSecs).toBe(75);
});

const derived: [RunOptions, { debug: boolean; workers: number; logs: boolean }][] = [
  [{ env: "production" }, { debug: false, workers: 8, logs: false }],
  [
    { env: "production", debug: true },
    { debug: true, workers: 1, logs: true },
  ],
  [
    { env: "production", workers: 3 },
    { debug: false, workers: 3, logs: false },
  ],
  [
    { env: "production", logs: true },
    { debug: false, workers: 8, logs: true },
  ],
  [
    { env: "production", reload: true },
    { debug: false, workers: 1, logs: false },
  ],
  [{ debug: false }, { debug: false, workers: 1, logs: false }],
  [{ workers: 2 }, { debug: true, workers: 2, logs: true }],
];

test.each(derived)("derives unset values from %j", (options, expected) => {
  expect(resolve(options).settings).toMatchObject(expected);
});

test("a flag overrides a variable, a variable an argument, an argument the default, and the source of each is recorded", () => {
  const host = fc.option(fc.constantFrom("a.example", "10.0.0.1", "::1"), { nil: undefined });
  const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined });
  const env = fc.option(fc.constantFrom("development" as const, "production" as const), { nil: undefined });
  const level = fc.record({ host, port, env });
  fc.assert(
    fc.property(level, level, level, (flags, options, variables) => {
      const environment = {
        HOST: variables.host,
        PORT: variables.port?.toString(),
        FRAMEWORK_ENV: variables.env,
      };
      const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
      const { settings, problems } = resolve(options, { flags: given, environment });
      expect(problems).toEqual([]);
      const fallback = { host: "127.0.0.1", port: 8000, env: "development" };
      for (const name of ["host", "port", "env"] as const) {
        const levels = [
          [flags[name], "flag"],
          [name === "port" && options.port === 0 ? undefined : variables[name], "environment"],
          [options[name], "run"],
          [fallback[name], "default"],
        ] as const;
        const [value, source] = levels.find(([candidate]) => candidate !== undefined) ?? [];
        expect([settings[name], settings.sources[name]]).toEqual([value, source]);
      }
    }),
  );
});

test("a note names each value of the program that a variable overrides", () => {
  const environment = { HOST: "0.0.0.0", PORT: "8080", FRAMEWORK_ENV: "production" };
  const { settings } = resolve({ port: 3000, env: "production" }, { environment });
  expect(settings).toMatchObject({ host: "0.0.0.0", port: 8080, env: "production" });
  expect(settings.notes).toEqual(["PORT=8080 replaces port 3000 of the program"]);
  expect(resolve({ port: 0 }, { environment }).settings).toMatchObject({ port: 0, notes: [] });
});

test("a variable sets the transport, and a flag overrides the variable and the argument", () => {
  const environment = { FRAMEWORK_TRANSPORT: "node" };
  expect(resolve({}, { environment }).settings.transport).toBe("node");
  expect(
    resolve({ transport: "node" }, { flags: { transport: "fast" }, environment }).settings,
  ).toMatchObject({
    transport: "fast",
    sources: { transport: "flag" },
  });
  const { problems } = resolve({}, { environment: { FRAMEWORK_TRANSPORT: "http2" } });
  expect(problems).toEqual([
    {
      code: "CORE_BAD_SETTING",
      message: 'the variable FRAMEWORK_TRANSPORT must be node or fast, not "http2"',
    },
  ]);
});

test("warns when the service is unreachable from outside the container, unless loopback was set explicitly", () => {
  const codes = (options: RunOptions, environment = {}) =>
    resolve(options, { inContainer: true, environment }).settings.warnings.map(({ code }) => code);
  expect(codes({})).toEqual(["CORE_LOOPBACK_IN_CONTAINER"]);
  expect(codes({ host: "127.0.0.1" })).toEqual([]);
  expect(codes({ env: "production" }, { HOST: "0.0.0.0" })).toEqual([]);
  expect(codes({}, { HOST: "127.0.0.1" })).toEqual([]);
});

test("an empty variable counts as unset", () => {
  const { settings, problems } = resolve({}, { environment: { HOST: "", PORT: "", FRAMEWORK_ENV: "" } });
  expect(problems).toEqual([]);
  expect(settings.sources).toMatchObject({ host: "default", port: "default", env: "default" });
});

const PEM = "-----BEGIN CERTIFICATE-----";

const invalid: [name: string, options: object, inputs: Partial<SettingInputs>, message: string][] = [
  ["a port above 65535", { port: 70_000 }, {}, "port must be a whole number from 0 to 65535, not 70000"],
  [
    "a number that could not be read",
    { port: Number.NaN },
    {},
    "port must be a whole number from 0 to 65535, not NaN",
  ],
  ["a big integer", { port: 8000n }, {}, "port must be a whole number"],
  ["a fraction", { port: 80.5 }, {}, "port must be"],
  [
    "a port that is not a number",
    {},
    { environment: { PORT: "http" } },
    'the variable PORT must be a whole number from 0 to 65535, not "http"',
  ],
  ["a flag out of range", {}, { flags: { port: 99_999 } }, "--port must be"],
  [
    "an unknown environment",
    {},
    { flags: { env: "staging" } },
    '--env must be development or production, not "staging"',
  ],
  ["no workers", { workers: 0 }, {}, "workers must be a whole number from 1 to 1024"],
  ["debug as a string", { debug: "yes" }, {}, 'debug must be true or false, not "yes"'],
  ["a URL as host", { host: "http://localhost" }, {}, "host must be an address or host name"],
  ["a host with a port", { host: "localhost:80" }, {}, "host must be an address or host name"],
  ["an empty host", { host: "" }, {}, "host must be"],
  [
    "a port instead of the options",
    8000 as unknown as object,
    {},
    "run takes an object of options, such as { port: 8000 }, not 8000",
  ],
  [
    "null instead of the options",
    null as unknown as object,
    {},
    "run takes an object of options, such as { port: 8000 }, not null",
  ],
  ["a list of options", [8000], {}, "run takes an object of options, such as { port: 8000 }, not [8000]"],
  ["an unknown option", { prot: 1 }, {}, 'run has no option "prot"; did you mean "port"?'],
  ["a record's bad field", { limits: { maxHeaderFields: 0 } }, {}, "LimitsConfig.maxHeaderFields"],
  ["a record's unknown field", { cluster: { maxRestart: 1 } }, {}, 'did you mean "maxRestarts"?'],
  ["a bad timeout", { timeouts: { idleSecs: -1 } }, {}, "TimeoutConfig.idleSecs"],
  ["an unknown transport", { transport: "http2" }, {}, "transport must be node or fast"],
  [
    "an exitOnError that is not a boolean",
    { exitOnError: "false" },
    {},
    'exitOnError must be true or false, not "false"',
  ],
  ["proxies that are not a list", { trustedProxies: "10.0.0.1" }, {}, "trustedProxies must be a list"],
  ["null as TLS", { tls: null }, {}, "TlsConfig must be an object with fields, but is null"],
  ["TLS without a key", { tls: { cert: PEM } }, {}, "TlsConfig.key is required"],
  [
    "a file name as certificate",
    { tls: { cert: "a.pem", key: "b.pem" } },
    {},
    "TlsConfig.cert must be PEM text",
  ],
  [
    "CAs for client certificates that are not required",
    { tls: { cert: PEM, key: PEM, ca: PEM } },
    {},
    "TlsConfig.ca and caFile have no effect without requireClientCert",
  ],
  [
    "required client certificates without a CA",
    { tls: { cert: PEM, key: PEM, requireClientCert: true } },
    {},
    "TlsConfig.requireClientCert needs ca or caFile",
  ],
  [
    "an empty caFile, for which Node would use its default CAs",
    { tls: { cert: PEM, key: PEM, caFile: devNull, requireClientCert: true } },
    {},
    "TlsConfig.ca or caFile is empty",
  ],
];

test.each(invalid)("rejects %s", (_name, options, inputs, message) => {
  const { problems } = resolve(options as RunOptions, inputs);
  expect(problems[0]?.message).toContain(message);
  expect(problems[0]?.code).toMatch(/^CORE_BAD_/);
});

test("accepts names, IPv4, IPv6 and zoned addresses as host", () => {
  for (const host of [
    "localhost",
    "api.internal",
    "my_host-1",
    "0.0.0.0",
    "::",
    "::1",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
  ]) {
    expect([host, resolve({ host }).problems]).toEqual([host, []]);
  }
});

test("reports all mistakes together", () => {
  const options = { port: -1, env: "test", workers: 1.5, limits: { maxBodyBytes: -1 }, prot: 1 };
  expect(resolve(options as unknown as RunOptions).problems).toHaveLength(5);
});

test("warns of debug in production, of debug on a reachable host, and of reload with workers", () => {
  const codes = (options: RunOptions) => resolve(options).settings.warnings.map(({ code }) => code);
  expect(codes({})).toEqual([]);
  expect(codes({ host: "::1" })).toEqual([]);
  expect(codes({ host: "Localhost" })).toEqual([]);
  expect(codes({ env: "production", host: "0.0.0.0" })).toEqual([]);
  expect(codes({ env: "production", debug: true, host: "0.0.0.0" })).toEqual(["CORE_DEBUG_IN_PRODUCTION"]);
  expect(codes({ host: "0.0.0.0" })).toEqual(["CORE_DEBUG_EXPOSED"]);
  expect(codes({ workers: 4, reload: true })).toEqual(["CORE_RELOAD_WORKERS"]);
});

test("reload does not warn of the default number of workers", () => {
  const codes = (options: RunOptions, flags: SettingInputs["flags"] = {}) =>
    resolve(options, { flags }).settings.warnings.map(({ code }) => code);
  expect(codes({ env: "production", reload: true })).toEqual([]);
  expect(codes({ reload: true })).toEqual([]);
  expect(codes({ workers: 1, reload: true })).toEqual([]);
  expect(codes({ env: "production", reload: true }, { workers: 4 })).toEqual(["CORE_RELOAD_WORKERS"]);
});
