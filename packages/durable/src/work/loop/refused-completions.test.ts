import { App } from "@framework/core";
import type { Feature, Host, Sample } from "@framework/core/feature";
import { database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { durable } from "../../index.ts";

const hosting: Feature<{ readonly host: Host }> = {
  name: "hosting",
  install: (host) => ({
    get host() {
      return host;
    },
  }),
};

test("an attempt whose completion in a transaction is refused is counted as lost once", async () => {
  const app = new (App.with(database, durable, hosting))().enableDatabase({ url: "sqlite://:memory:" });
  const queue = app.durable.kernel.use("mail").queue<string>({
    name: "mail",
    async handle(item) {
      await app.db.execute("UPDATE framework_work SET fence = fence + 1"); // as when another process takes it over
      await app.db.transaction((tx) => item.complete(tx));
    },
  });
  const lost = (): unknown =>
    app.host.insight
      .metrics()
      .filter(({ name }) => name === "durable_work_attempts_total")
      .flatMap((metric) => metric.read() as readonly Sample[])
      .find(({ labels }) => labels?.["outcome"] === "lost")?.value;
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  await queue.enqueue({ payload: "a" });
  await waitFor(() => lost() !== 0, { subject: "the end of the attempt" });
  await app.stop();
  expect(lost()).toBe(1);
});
