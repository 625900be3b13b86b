import type { TestClient, TestReply } from "@framework/testing";
import type { Row } from "./row.test-kit.ts";
import { rows } from "./rows.test-kit.ts";
import type { Stack } from "./stack.test-kit.ts";
import { pageOrigin } from "./toggles.test-kit.ts";

/** The reply to the request of a row, with values recorded right after it. */
export interface RowResult {
  readonly row: Row;
  readonly reply: TestReply;
  /** The tag that the request sent in `If-None-Match`. */
  readonly sentTag: string | null;
  /** Number of calls of the path's handler. */
  readonly calls: number;
}

/** Sends the requests of all rows in order; the id of each request is the name of its row. */
export const sendRows = async (client: TestClient, { observed }: Stack): Promise<readonly RowResult[]> => {
  const results: RowResult[] = [];
  for (const row of rows) {
    const { method = "GET", path, body, sendsTagOf } = row;
    const sentTag =
      results.find((earlier) => earlier.row.name === sendsTagOf)?.reply.headers.get("etag") ?? null;
    const reply = await client.request(method, path, {
      ...(body === undefined ? {} : { body: body() }),
      headers: {
        origin: pageOrigin,
        "x-request-id": idOf(row),
        ...(sentTag === null ? {} : { "if-none-match": sentTag }),
        ...row.headers,
      },
    });
    results.push({ row, reply, sentTag, calls: observed.calls.get(path) ?? 0 });
  }
  return results;
};

/** Returns the request id of a row. */
export const idOf = ({ name }: Row): string => name.replaceAll(" ", "-");
