import { expect, test } from "@jest/globals";
import { App, LimitsConfig } from "../index.ts";

/** Options that are instances of the program's classes. */
class Options {
  readonly log = { info() {}, warn() {}, error() {} };
}
class Limits {
  readonly maxHeaderFields = 7;
}

test("run accepts an instance of a class, and inherited options", async () => {
  const argv: readonly string[] = [];
  const given = Object.assign(new Options(), { argv, environment: {}, exitOnError: false, port: 0 });
  for (const options of [given, Object.create(given) as typeof given]) {
    const running = await new App().run(options);
    await running.close();
    expect(running.port).toBeGreaterThan(0);
  }
});

test("start and onEvent accept instances of classes", async () => {
  const limits = Object.assign(new Limits(), { ...LimitsConfig.of(), maxHeaderFields: 7 });
  const seen: number[] = [];
  const app = new App().onEvent(
    "startup",
    (settings) => void seen.push(settings.limits.maxHeaderFields),
    new (class {
      readonly once = "service";
    })(),
  );
  await app.start(Object.assign(new Options(), { limits }));
  await app.stop();
  expect(seen).toEqual([7]);
});
