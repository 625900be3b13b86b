import assert from "node:assert/strict";
import { type ExchangeEnd, HttpError, Response } from "@framework/core";
import { BodyStream, type RequestSource } from "@framework/core/feature";
import { readBody, type Reply, type Serve } from "@framework/core/testing";
import { eventually, type TestServer, turn } from "./test-server.ts";

/** An app that records its exchanges: each must end exactly once, whatever the client does. */
export interface ExchangeRecorder {
  readonly serve: Serve;
  /** Ends of the exchanges, with their targets. */
  readonly ends: { readonly target: string; readonly end: ExchangeEnd }[];
  /** Number of requests received. */
  readonly begun: number;
  /** Handlers and streams that have begun and not ended. */
  readonly open: number;
  /** Number of repeated cancellations of a stream. */
  readonly doublyClosed: number;
  /** Codes of the errors that readers of bodies received. */
  readonly readErrors: readonly string[];
}

const piece = new TextEncoder().encode("x".repeat(16));
const longPiece = new Uint8Array(65_536).fill(120);

const texts: ReadonlyMap<string, string> = new Map([
  ["/page", "x".repeat(50_000)],
  ["/long", "x".repeat(5_000_000)],
  ["/large", "x".repeat(30_000_000)],
]);

/**
 * Creates the app. Targets: `/now` answers immediately, `/later` after a while, `/never` when the exchange has ended, `/read` with the length of the body,
 * `/stream` with small chunks without end, `/flood` with large ones, `/pieces` with 20 small chunks, `/silent` with one and nothing after it, `/page` with
 * 50 kB, `/long` with 5 MB, `/large` with 30 MB.
 */
export const createExchangeRecorder = (): ExchangeRecorder => {
  const ends: ExchangeRecorder["ends"] = [];
  const readErrors: string[] = [];
  const counts = { begun: 0, open: 0, doublyClosed: 0 };

  const stream = (chunk: Uint8Array, count = Infinity, isSilent = false): BodyStream => {
    counts.open++;
    let closed = false;
    let left = count;
    const chunks = {
      [Symbol.asyncIterator]: () => chunks,
      next: async (): Promise<IteratorResult<Uint8Array>> => {
        await turn(1);
        if (left-- > 0) return { done: false, value: chunk };
        if (isSilent) await new Promise(() => {});
        counts.open--;
        return { done: true, value: undefined };
      },
      return: () => {
        if (closed) counts.doublyClosed++;
        else counts.open--;
        closed = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    };
    return new BodyStream(chunks);
  };

  const read = async (source: RequestSource): Promise<Reply> => {
    counts.open++;
    try {
      return Response.text(`read ${(await readBody(source, 1e9)).byteLength}`);
    } catch (error) {
      if (HttpError.is(error)) readErrors.push(error.code);
      return Response.text("no", { status: HttpError.is(error) ? error.status : 500 });
    } finally {
      counts.open--;
    }
  };

  const untilEnd = async (source: RequestSource): Promise<Reply> => {
    counts.open++;
    await new Promise<void>((resolve) => source.onEnd(() => resolve()));
    counts.open--;
    return Response.text("this reply is never read");
  };

  return {
    ends,
    readErrors,
    get begun() {
      return counts.begun;
    },
    get open() {
      return counts.open;
    },
    get doublyClosed() {
      return counts.doublyClosed;
    },
    serve: (source) => {
      counts.begun++;
      const { target } = source;
      source.onEnd((end) => void ends.push({ target, end }));
      if (target === "/read") return read(source);
      if (target === "/never") return untilEnd(source);
      if (target === "/later") return turn(3).then(() => Response.text("later"));
      if (target === "/stream") return new Response(stream(piece));
      if (target === "/flood") return new Response(stream(longPiece));
      if (target === "/pieces") return new Response(stream(piece, 20));
      if (target === "/silent") return new Response(stream(piece, 1, true));
      return Response.text(texts.get(target) ?? "now");
    },
  };
};

/**
 * Serves one more client, and checks that the earlier exchanges have released everything.
 *
 * @param lingerMs milliseconds by which the clock advances, for connections that linger after their last reply
 */
export const expectNothingLeft = async (
  server: TestServer,
  recorder: ExchangeRecorder,
  lingerMs = 0,
): Promise<void> => {
  const { transport, logged, connect, clock } = server;
  const next = await connect();
  await next.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal((await next.replies(1))[0]?.body, "now");
  next.destroy();
  await turn(4);
  await clock.advance(lingerMs);
  await eventually(() => transport.connections === 0, "all connections are gone");
  await eventually(() => recorder.open === 0, "every handler and stream has ended");
  await eventually(() => recorder.ends.length === recorder.begun, "every exchange has ended");
  assert.deepEqual([transport.inFlight, recorder.doublyClosed, logged], [0, 0, []]);
};
