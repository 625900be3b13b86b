import { type ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { databaseInFile } from "../testing/test-database.ts";
import { openDatabase } from "../open.ts";
import { ReadingProcess } from "./reading-process.ts";
import { sqliteLocation } from "./sqlite-location.ts";

test("a reading process that was killed while idle is replaced by the next read", async () => {
  await using file = databaseInFile();
  const db = openDatabase({ url: file.url });
  await db.execute("CREATE TABLE things (id INTEGER)");
  await db.close();
  const children: ChildProcess[] = [];
  const note = (message: unknown): void =>
    void children.push((message as { readonly process: ChildProcess }).process);
  subscribe("child_process", note);
  const location = sqliteLocation(file.url) ?? "";
  const reading = new ReadingProcess({ location, waitMs: 60_000, statementTimeoutMs: 0 });
  try {
    const request = { text: "SELECT 1 AS one", parameters: [], first: false };
    await reading.read(request);
    const [child] = children;
    if (child === undefined) throw new Error("no process was started");
    child.ref(); // the test waits for it
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    expect(reading.size).toBe(0);
    expect((await reading.read(request)).rows).toEqual([{ one: 1 }]);
    expect(children).toHaveLength(2);
  } finally {
    unsubscribe("child_process", note);
    await reading.close();
  }
});
