import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import type { ConfigurationError } from "../errors/configuration-error.ts";
import type { Feature, Host } from "../feature.ts";

/** What start says to whatever a feature publishes. */
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

const measure = (name: string, type: "counter" | "gauge") => ({
  name,
  type,
  help: "A figure.",
  read: () => 1,
});
const run = (): void => {};

test("health checks have names of their own, and are 50 at most", async () => {
  expect(await problemsOf((host) => host.healthCheck({ name: "store", run }))).toEqual([]);
  const problems = await problemsOf((host) => {
    host
      .healthCheck({ name: "store", run })
      .healthCheck({ name: "store", run })
      .healthCheck({ name: "a b", run });
    for (let index = 0; index < 48; index++) host.healthCheck({ name: `check-${index}`, run });
  });
  expect(problems).toEqual([
    expect.stringContaining('CORE_BAD_HEALTH_CHECK there is a health check "store" already'),
    expect.stringContaining("CORE_BAD_HEALTH_CHECK the name of a health check must be"),
    "CORE_BAD_HEALTH_CHECK an app may have 50 health checks",
  ]);
});

test("measures have names of their own, and only counters end in _total", async () => {
  const good = (host: Host) =>
    host.measure(measure("hits_total", "counter")).measure(measure("entries", "gauge"));
  expect(await problemsOf(good)).toEqual([]);
  const problems = await problemsOf((host) => {
    good(host).measure(measure("entries", "gauge")).measure(measure("Hits_total", "counter"));
    host.measure(measure("misses", "counter")).measure(measure("open_total", "gauge"));
  });
  expect(problems).toEqual([
    'CORE_BAD_MEASURE there is a measure "entries" already',
    expect.stringContaining('CORE_BAD_MEASURE the measure "Hits_total" must be named in snake case'),
    expect.stringContaining('CORE_BAD_MEASURE the measure "misses" must end in _total'),
    expect.stringContaining('CORE_BAD_MEASURE the measure "open_total" must end in _total'),
  ]);
});
