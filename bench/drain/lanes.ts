import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "../client/connection.ts";
import { Lane, type LaneRequest } from "../client/lane.ts";

/** Behaviour of a client. */
interface Behaviour {
  readonly lanes: number;
  readonly request: LaneRequest;
  /** Maximum pause between two requests; the server may close an idle connection just as the client reuses it. */
  readonly thinkMs: number;
}

const book: LaneRequest = { path: "/books", body: JSON.stringify({ title: "Dune" }) };

const behaviours: readonly Behaviour[] = [
  { lanes: 8, request: { path: "/books" }, thinkMs: 0 },
  { lanes: 4, request: book, thinkMs: 0 },
  { lanes: 4, request: { path: "/slow/100" }, thinkMs: 0 },
  { lanes: 4, request: { path: "/pages/20" }, thinkMs: 0 },
  { lanes: 8, request: { path: "/books/7" }, thinkMs: 10 },
  { lanes: 12, request: book, thinkMs: 300 },
  { lanes: 4, request: { path: "/books", fields: { Connection: "close" } }, thinkMs: 5 },
];

/**
 * Clients with different behaviour on one server: busy ones, ones that pause, ones that stream, and some with a new connection per request. A client
 * stops when its connection is refused; the others continue.
 */
export const mixedLanes = (
  port: number,
  ends: () => boolean,
  onOutcome: (outcome: Outcome) => void,
): Lane[] =>
  behaviours.flatMap(({ lanes, request, thinkMs }) =>
    Array.from({ length: lanes }, () => {
      let refused = false;
      const next = async (): Promise<LaneRequest | null> => {
        if (thinkMs > 0) await pause(Math.random() * thinkMs);
        return refused || ends() ? null : request;
      };
      const report = (outcome: Outcome): void => {
        refused ||= outcome.kind === "refused";
        onOutcome(outcome);
      };
      return new Lane({ port, next, onOutcome: report });
    }),
  );
