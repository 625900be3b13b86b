import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../client/connection.ts";
import { Lane, type WireRequest } from "../client/lane.ts";
import { get, post } from "../client/wire.ts";

/** How a client behaves. */
interface Habit {
  readonly lanes: number;
  readonly request: WireRequest;
  /** Longest pause between two requests; an idle connection may be closed just as it is used again. */
  readonly thinkMs: number;
}

const book = post("/books", JSON.stringify({ title: "Dune" }));

const habits: readonly Habit[] = [
  { lanes: 8, request: { bytes: get("/books") }, thinkMs: 0 },
  { lanes: 4, request: { bytes: book }, thinkMs: 0 },
  { lanes: 4, request: { bytes: get("/slow/100") }, thinkMs: 0 },
  { lanes: 4, request: { bytes: get("/pages/20") }, thinkMs: 0 },
  { lanes: 8, request: { bytes: get("/books/7") }, thinkMs: 10 },
  { lanes: 12, request: { bytes: book }, thinkMs: 300 },
  { lanes: 4, request: { bytes: get("/books").replace("keep-alive", "close") }, thinkMs: 5 },
];

/**
 * Clients of different habits on one server: busy, thinking, streaming, and some with a new connection for each request. One that is
 * refused gives up, the others go on.
 */
export const mixedLanes = (port: number, ends: () => boolean, seen: (outcome: Outcome) => void): Lane[] =>
  habits.flatMap(({ lanes, request, thinkMs }) =>
    Array.from({ length: lanes }, () => {
      let refused = false;
      const next = async (): Promise<WireRequest | null> => {
        if (thinkMs > 0) await pause(Math.random() * thinkMs);
        return refused || ends() ? null : request;
      };
      const tell = (outcome: Outcome): void => {
        refused ||= outcome.kind === "refused";
        seen(outcome);
      };
      return new Lane({ port, next, seen: tell });
    }),
  );
