import type { Message } from "@aws-sdk/client-sqs";
import type { Clock } from "@framework/core/feature";
import { pause } from "@framework/messaging/adapter";
import type { SqsApi } from "../client/sqs-api.ts";
import type { Room } from "./room.ts";

/** A queue to receive from. */
export interface ReceivedQueue {
  readonly url: string;
  /** Called with received messages. @param requestedAt time of the request on the monotonic clock */
  readonly onMessages: (messages: readonly Message[], requestedAt: number) => void;
}

/** Dependencies of `receiveFrom`. */
export interface ReceiverParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  /** Queues, polled in turn. */
  readonly queues: readonly ReceivedQueue[];
  readonly room: Room;
  readonly maxMessages: number;
  readonly waitTimeSecs: number;
  /** Whether receiving is paused. */
  readonly isPaused: () => boolean;
  /** Resolves when `isPaused` may have changed. */
  readonly whenResumed: (signal: AbortSignal) => Promise<void>;
  /** Aborts when no further request may begin. */
  readonly stopping: AbortSignal;
  /** Aborts pending requests. */
  readonly ending: AbortSignal;
}

/** Maximum number of concurrent requests of a queue while responses are full. */
const PARALLEL = 4;
/** Pause until there may be more room: one request for ten messages is cheaper than ten requests. */
const GATHER_MS = 5;

/** Receives from queues while there is room. Resolves when it is stopped; rejects with the error of SQS or the network. */
export const receiveFrom = async (parts: ReceiverParts): Promise<void> => {
  const { clock, queues, room, maxMessages, stopping, waitTimeSecs, isPaused, whenResumed } = parts;
  for (let turn = 0; !stopping.aborted;) {
    if (isPaused()) {
      await whenResumed(stopping);
      continue;
    }
    if (room.free === 0) {
      await room.whenFree(stopping);
      if (room.free < maxMessages / 2) await pause(clock, GATHER_MS, stopping);
      continue;
    }
    const queue = queues[turn++ % queues.length];
    if (queue !== undefined && (await receive(parts, queue, waitTimeSecs))) await receiveAll(parts, queue);
  }
};

/** Repeats requests that do not wait for messages, until a response is not full. */
const receiveAll = async (parts: ReceiverParts, queue: ReceivedQueue): Promise<void> => {
  const { room, maxMessages, stopping, isPaused } = parts;
  for (let isFull = true; isFull && !stopping.aborted && !isPaused();) {
    const requests = Math.min(PARALLEL, Math.floor(room.free / maxMessages));
    if (requests === 0) return;
    const full = await Promise.all(
      Array.from({ length: requests }, async () => await receive(parts, queue, 0)),
    );
    isFull = full.every(Boolean);
  }
};

/** Receives once. Returns whether the response has `maxMessages` messages. */
const receive = async (parts: ReceiverParts, queue: ReceivedQueue, waitSecs: number): Promise<boolean> => {
  const { api, clock, room, maxMessages, stopping, ending } = parts;
  if (stopping.aborted) return false;
  const count = room.reserve(maxMessages);
  if (count === 0) return false;
  const requestedAt = clock.now();
  try {
    const messages = await api.receive(queue.url, { count, waitSecs }, ending);
    if (messages.length > 0) queue.onMessages(messages, requestedAt);
    return messages.length === maxMessages;
  } finally {
    room.endReservation(count);
  }
};
