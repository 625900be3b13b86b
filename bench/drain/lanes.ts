import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../client/connection.ts";
import { Lane, type LaneRequest } from "../client/lane.ts";

/** Behaviour of a client. */
interface Habit {
  readonly lanes: number;
  readonly request: LaneRequest;
  /** Longest pause between two requests; an idle connection may be closed just as it is used again. */
  readonly thinkMs: number;
}

const book: LaneRequest = { path: "/books", body: JSON.stringify({ title: "Dune" }) };

const habits: readonly Habit[] = [
  { lanes: 8, request: { path: "/books" }, thinkMs: 0 },
  { lanes: 4, request: book, thinkMs: 0 },
  { lanes: 4, request: { path: "/slow/100" }, thinkMs: 0 },
  { lanes: 4, request: { path: "/pages/20" }, thinkMs: 0 },
  { lanes: 8, request: { path: "/books/7" }, thinkMs: 10 },
  { lanes: 12, request: book, thinkMs: 300 },
  { lanes: 4, request: { path: "/books", fields: { Connection: "close" } }, thinkMs: 5 },
];

/**
 * Clients with different behaviour on one server: busy, thinking, streaming, and some with a new connection for each request. A refused
 * client stops, the others continue.
 */
export const mixedLanes = (port: number, ends: () => boolean, seen: (outcome: Outcome) => void): Lane[] =>
  habits.flatMap(({ lanes, request, thinkMs }) =>
    Array.from({ length: lanes }, () => {
      let refused = false;
      const next = async (): Promise<LaneRequest | null> => {
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
