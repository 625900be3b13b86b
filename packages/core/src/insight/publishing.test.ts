import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { ConfigurationError } from "../errors/configuration-error.ts";
import type { Feature } from "../feature/feature.ts";
import type { Host } from "../feature/host.ts";

/** Returns the problems that start reports for a feature's metrics, checks and operations. */
const problemsOf = async (publish: (host: Host) => void): Promise<readonly string[]> => {
  const feature: Feature = {
    name: "publishing",
    install: (host) => {
      publish(host);
      return {};
    },
  };
  const app = new (App.with(feature))();
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  return error === app
    ? []
    : (error as ConfigurationError).problems.map(({ code, message }) => `${code} ${message}`);
};

const metric = (name: string, type: "counter" | "gauge") => ({
  name,
  type,
  help: "A metric.",
  read: () => 1,
});
const run = (): void => {};

test("health check names are unique, and an app has at most 50", async () => {
  expect(await problemsOf((host) => host.insight.healthCheck({ name: "store", run }))).toEqual([]);
  const problems = await problemsOf((host) => {
    host.insight
      .healthCheck({ name: "store", run })
      .healthCheck({ name: "store", run })
      .healthCheck({ name: "a b", run });
    for (let index = 0; index < 48; index++) host.insight.healthCheck({ name: `check-${index}`, run });
  });
  expect(problems).toEqual([
    expect.stringContaining('CORE_BAD_HEALTH_CHECK there is a health check "store" already'),
    expect.stringContaining("CORE_BAD_HEALTH_CHECK the name of a health check must be"),
    "CORE_BAD_HEALTH_CHECK an app may have at most 50 health checks",
  ]);
});

test("metric names are unique, in snake case, and end in _total if and only if they name counters", async () => {
  const good = (host: Host) =>
    host.insight.metric(metric("hits_total", "counter")).metric(metric("entries", "gauge"));
  expect(await problemsOf(good)).toEqual([]);
  const problems = await problemsOf((host) => {
    good(host).metric(metric("entries", "gauge")).metric(metric("Hits_total", "counter"));
    host.insight.metric(metric("misses", "counter")).metric(metric("open_total", "gauge"));
  });
  expect(problems).toEqual([
    'CORE_BAD_METRIC there is a metric "entries" already',
    expect.stringContaining('CORE_BAD_METRIC the metric "Hits_total" must be named in snake case'),
    expect.stringContaining('CORE_BAD_METRIC the metric "misses" must end in _total'),
    expect.stringContaining('CORE_BAD_METRIC the metric "open_total" must end in _total'),
  ]);
});

test("operation kinds are one to four lower-case words separated by dots; a kind may be used twice", async () => {
  const kind = (name: string) => ({ kind: name, role: "client" as const, describe: () => ({ name: "x" }) });
  const good = (host: Host) => void [host.insight.operation(kind("db")), host.insight.operation(kind("db"))];
  expect(await problemsOf(good)).toEqual([]);
  const problems = await problemsOf(
    (host) => void ["Query", "a.b.c.d.e", "a..b"].map((name) => host.insight.operation(kind(name))),
  );
  expect(problems).toEqual([
    expect.stringContaining('CORE_BAD_OPERATION_KIND the operation kind "Query" must be'),
    expect.stringContaining('"a.b.c.d.e"'),
    expect.stringContaining('"a..b"'),
  ]);
});
