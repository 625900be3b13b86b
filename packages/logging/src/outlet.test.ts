import { EventEmitter, once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { loggedApp } from "./collected-log.test-kit.ts";
import { LineWriter } from "./line-writer.ts";
import { fileOutlet, streamOutlet } from "./outlet.ts";

const lossLine = () => "lost\n";

test("an open file gets every line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "outlet-"));
  const file = join(folder, "app.log");
  const fd = openSync(file, "a");
  const writer = new LineWriter({ outlet: fileOutlet(fd), maxQueueBytes: 65_536, lossLine });
  const lines = Array.from({ length: 3000 }, (_, at) => `${at} ${"é".repeat(at % 50)}\n`);
  for (const line of lines) writer.add(line);
  await writer.flush(1000);
  expect(readFileSync(file, "utf8")).toBe(lines.join(""));
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

test("a closed file descriptor is an error", () => {
  expect(() => fileOutlet(987_654)).toThrow("EBADF");
});

test("writing to a full stream continues after drain", async () => {
  const written: string[] = [];
  const proceed: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 10,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      proceed.push(done);
    },
  });
  const writer = new LineWriter({ outlet: streamOutlet(stream), maxQueueBytes: 65_536, lossLine });
  writer.add("a longer line\n");
  await writer.flush(0);
  writer.add("after it\n");
  const done = writer.flush(60_000);
  expect([written, stream.writableLength]).toEqual([["a longer line\n"], 14]);
  proceed[0]?.();
  await waitFor(() => proceed.length === 2);
  proceed[1]?.();
  await done;
  expect(written).toEqual(["a longer line\n", "after it\n"]);
});

test("an app stops only when its stream has written every line that it accepted", async () => {
  const done: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, end) => void done.push(end) }); // such as one of a file
  const { app } = loggedApp({ destination: stream });
  await app.start();
  app.log().info("one");
  await waitFor(() => done.length === 1);
  app.log().info("two");
  let isStopped = false;
  const stopped = app.stop().then(() => (isStopped = true));
  done[0]?.();
  await waitFor(() => done.length === 2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isStopped).toBe(false);
  done[1]?.();
  await stopped;
  expect(stream.writableLength).toBe(0);
});

test("flushSync flushes a pino destination", () => {
  const calls: string[] = [];
  const destination = { write: (text: string) => calls.push(text), flushSync: () => calls.push("flushed") };
  const writer = new LineWriter({
    outlet: streamOutlet(destination),
    maxQueueBytes: 65_536,
    lossLine,
  });
  writer.add("a\n");
  writer.flushSync();
  expect(calls).toEqual(["a\n", "flushed"]);
});

test("a failed stream does not end the service: later lines are dropped and counted", async () => {
  const stream = new Writable({
    highWaterMark: 10,
    write(_chunk, _encoding, done) {
      setImmediate(done, new Error("no space left on device"));
    },
  });
  const writer = new LineWriter({ outlet: streamOutlet(stream), maxQueueBytes: 65_536, lossLine });
  const closed = once(stream, "close", { signal: AbortSignal.timeout(60_000) }).catch(() => {});
  writer.add("a longer line\n");
  await writer.flush(0);
  writer.add("after it\n");
  await writer.flush(60_000); // does not wait for a drain that never happens
  await closed;
  writer.add("after the end\n");
  await writer.flush(60_000);
  expect([stream.destroyed, writer.dropped]).toEqual([true, 2]);
});

test("lines for a destination that buffers unwritten lines are bounded, and written once it recovers", async () => {
  const written: string[] = [];
  let buffered = "";
  let isFull = true;
  const disk = Object.assign(new EventEmitter(), {
    write(text: string) {
      buffered += text;
      setImmediate(() => {
        if (isFull) return disk.emit("error", new Error("no space left on device"));
        written.push(buffered);
        buffered = "";
        return disk.emit("drain");
      });
      return false;
    },
  });
  const writer = new LineWriter({ outlet: streamOutlet(disk), maxQueueBytes: 1000, lossLine });
  for (let turn = 0; turn < 50; turn++) {
    writer.add(`${"x".repeat(99)}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([buffered.length, disk.listenerCount("drain"), writer.dropped]).toEqual([100, 1, 39]);
  isFull = false;
  await writer.flush(60_000);
  expect(written.join("") + buffered).toBe(`${"x".repeat(99)}\n`.repeat(11) + "lost\n");
});

test("apps that write to the same stream share one error listener", () => {
  const stream = new Writable();
  const outlets = Array.from({ length: 20 }, () => streamOutlet(stream));
  expect([new Set(outlets).size, stream.listenerCount("error")]).toEqual([1, 1]);
});
