import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import { type RowResult, idOf } from "./send-rows.test-kit.ts";
import type { Stack } from "./stack.test-kit.ts";

type Line = Readonly<Record<string, unknown>>;

/** Checks that each request is logged once and ends once. */
export const checkRecords = async (
  results: readonly RowResult[],
  { enabled, observed }: Stack,
): Promise<void> => {
  const lines = (): readonly Line[] => observed.lines.filter((line) => "method" in line && "bytes" in line);
  await waitFor(() => observed.inFlight === 0, { subject: "every request to end" });
  const ends = observed.ends.map(([id, end]) => `${id} ${end}`);
  assert.deepEqual(ends.toSorted(), results.map(({ row }) => `${idOf(row)} sent`).toSorted());
  if (!enabled.has("logging")) return;
  await waitFor(() => lines().length >= results.length, { subject: "every line" });
  assert.deepEqual(sorted(lines().map(actual)), sorted(results.map((result) => expected(result, enabled))));
};

const actual = ({ method, path, status, route, bytes, request_id, aborted, level }: Line): Line => ({
  method,
  path,
  status,
  route: route ?? null,
  bytes,
  id: request_id ?? null,
  aborted: aborted ?? false,
  level,
});

const expected = ({ row, reply }: RowResult, enabled: Stack["enabled"]): Line => {
  const { method = "GET" } = row;
  const { status } = reply;
  const [path = ""] = row.path.split("?");
  const isUnreadable = path === "/%zz";
  return {
    method,
    path: isUnreadable ? "-" : path,
    status,
    route: method === "OPTIONS" ? null : row.route === undefined ? path : row.route(enabled),
    bytes: reply.bytes.length,
    id: enabled.has("requestId") ? idOf(row) : null,
    aborted: false,
    level: status >= 500 ? "error" : status >= 400 ? "warn" : "info",
  };
};

const sorted = (lines: readonly Line[]): readonly string[] =>
  lines.map((line) => JSON.stringify(line)).toSorted();
