import { closeSync, mkdtempDisposableSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpRequest } from "@framework/core";
import { expect, test } from "@jest/globals";
import { type Access, loggers } from "./loggers.ts";

const access = (id: number): Access => ({
  request: {
    method: "GET",
    path: `/books/${id}`,
    route: "/books/{id}",
    requestId: `${id}`,
    clientIp: "203.0.113.9",
    context: { get: () => null },
  } as unknown as HttpRequest, // only the members that a line reads
  outcome: { status: 200, latencyMs: 1, bytes: 34, aborted: false, error: null, details: null },
});

test.each(Object.entries(loggers))("%s has written every line when flush resolves", async (_name, open) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "log-lines-"));
  const file = join(folder.path, "lines");
  const fd = openSync(file, "w");
  const logger = open(fd);
  for (let id = 0; id < 30; id++) logger.write(access(id)); // about 6 KB: a write of 4 KiB is in progress, the rest is buffered
  await logger.flush();
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { path: string }).path)).toEqual(
    Array.from({ length: 30 }, (_, id) => `/books/${id}`),
  );
  closeSync(fd);
});
