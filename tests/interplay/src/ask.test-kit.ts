import type { TestClient, TestReply } from "@framework/testing";
import type { Row } from "./row.test-kit.ts";
import { rows } from "./rows.test-kit.ts";
import type { Stack } from "./stack.test-kit.ts";
import { pageOrigin } from "./toggles.test-kit.ts";

/** A reply, and facts recorded right after it. */
export interface Answered {
  readonly row: Row;
  readonly reply: TestReply;
  /** The tag that the request sent back. */
  readonly held: string | null;
  /** Calls of the handler of the row's path. */
  readonly calls: number;
}

/** Sends the request of every row in order; each request has the row's name as its id. */
export const askAll = async (client: TestClient, { witness }: Stack): Promise<readonly Answered[]> => {
  const answered: Answered[] = [];
  for (const row of rows) {
    const { method = "GET", path, body, holds } = row;
    const held = answered.find((earlier) => earlier.row.name === holds)?.reply.headers.get("etag") ?? null;
    const reply = await client.request(method, path, {
      ...(body === undefined ? {} : { body: body() }),
      headers: {
        origin: pageOrigin,
        "x-request-id": idOf(row),
        ...(held === null ? {} : { "if-none-match": held }),
        ...row.headers,
      },
    });
    answered.push({ row, reply, held, calls: witness.calls.get(path) ?? 0 });
  }
  return answered;
};

export const idOf = ({ name }: Row): string => name.replaceAll(" ", "-");
