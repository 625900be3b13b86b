import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import { App } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable } from "@framework/durable";
import { messaging } from "@framework/messaging";
import { effectsDespiteKills } from "@framework/messaging/testing";
import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { expect, test } from "@jest/globals";
import { rabbitmq } from "./index.ts";
import { LIMIT_MS, MESSAGES } from "./faults.test-kit.ts";
import { effectsFixture } from "./killed.test-kit.ts";
import { newName, TestApp } from "./process.test-kit.ts";

const isLong = MESSAGES > 10_000;
const quiet = { info() {}, warn() {}, error() {} };
const program = bundledProgram(new URL("./consumer.test-program.ts", import.meta.url));

withServer("rabbitmq", (url) => {
  test("with the inbox, a message whose process is killed between commit and acknowledgement takes effect once", async () => {
    await using file = databaseInFile();
    const topic = newName();
    const app = new (App.with(database, durable, messaging, rabbitmq))()
      .enableDatabase({ url: file.url })
      .enableDurable()
      .enableRabbitmq({ url, topics: [topic] });
    app.messaging.subscribe(topic, { group: "group", dedupe: "inbox" }, async ({ id }, { tx }) => {
      await tx.execute("INSERT INTO effects (message) VALUES ($1)", [id]);
    });
    const setup = new (App.with(database))().enableDatabase({ url: file.url });
    await setup.start({ log: quiet });
    await setup.db.execute("CREATE TABLE effects (message TEXT NOT NULL)");
    await setup.stop();

    const env = { ...process.env, AMQP_URL: url, DATABASE_URL: file.url, TOPIC: topic };
    const flags = ["--conditions=@framework/source", "--disable-warning=ExperimentalWarning"];
    const child = spawn(process.execPath, [...flags, program], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const exit = once(child, "exit");
    await using sender = await new TestApp({ url, topics: [topic] }).start();
    await waitFor(() =>
      sender.app.messaging.send(topic, { id: "a", type: "t", data: 1 }).then(
        () => true,
        () => false, // until the process has declared its queue
      ),
    );
    expect(await exit).toEqual([null, "SIGKILL"]);

    await app.start({ log: quiet });
    await waitFor(() => app.messaging.status()[0]?.done === 1);
    expect(app.messaging.status()[0]).toMatchObject({ redelivered: 1, duplicates: 1 });
    expect(await app.db.query("SELECT message FROM effects")).toEqual([{ message: "a" }]);
    await app.stop();
  });

  test(
    "with the inbox, repeatedly killed processes lose no message, and each message takes effect once, in the order of its key",
    async () => {
      await using file = databaseInFile();
      const prefix = newName();
      let kills = 0;
      const kill = async (isEnough: () => Promise<boolean>): Promise<void> => {
        ({ kills } = await killWarmProcesses({
          program: new URL("./inbox.test-program.ts", import.meta.url),
          env: () => ({ AMQP_URL: url, PREFIX: prefix, DATABASE: file.url }),
          callsHasBegun: true,
          meanLifeMs: isLong ? 2000 : 100,
          workingMs: 100,
          minKills: isLong ? 10 : 3,
          isEnough,
          limitMs: LIMIT_MS / 2,
          standby: 1,
        }));
      };
      const fixture = effectsFixture(url, prefix, file.url);
      const { effects, expected } = await effectsDespiteKills(fixture, "key", { messages: MESSAGES, kill });
      expect(effects).toEqual(expected);
      expect(kills).toBeGreaterThanOrEqual(isLong ? 10 : 3);
      if (isLong) console.log(JSON.stringify({ kills, effects: effects.length }));
    },
    LIMIT_MS,
  );
});
