import type { Message } from "@aws-sdk/client-sqs";
import type { Clock } from "@framework/core/feature";
import { pause } from "@framework/messaging/adapter";
import type { SqsApi } from "../client/sqs-api.ts";
import type { Room } from "./room.ts";

/** A queue that is received from. */
export interface ReceivedQueue {
  readonly url: string;
  /** Takes messages. @param askedAt when they were asked for, on the monotonic clock */
  readonly take: (messages: readonly Message[], askedAt: number) => void;
}

/** What receiving needs. */
export interface ReceiverParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  /** They take turns. */
  readonly queues: readonly ReceivedQueue[];
  readonly room: Room;
  readonly maxMessages: number;
  readonly waitTimeSecs: number;
  /** Whether nothing is received for now. */
  readonly isPaused: () => boolean;
  /** Resolves when that may have changed. */
  readonly resumed: (signal: AbortSignal) => Promise<void>;
  /** Aborts when no request is begun any more. */
  readonly stopping: AbortSignal;
  /** Aborts requests that wait for messages. */
  readonly ending: AbortSignal;
}

/** Requests of one queue at a time while it is full. */
const PARALLEL = 4;
/** How long to wait for more room when there is little: one request for ten messages is cheaper than ten. */
const GATHER_MS = 5;

/** Receives from its queues while there is room. Resolves when it is stopped; rejects with what SQS or the network said. */
export const receiveFrom = async (parts: ReceiverParts): Promise<void> => {
  const { clock, queues, room, maxMessages, stopping, waitTimeSecs, isPaused, resumed } = parts;
  for (let turn = 0; !stopping.aborted;) {
    if (isPaused()) {
      await resumed(stopping);
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

/** Goes on without waiting at SQS until a request brings less than it asked for. */
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

/** Returns whether there were as many messages as a request may bring. */
const receive = async (parts: ReceiverParts, queue: ReceivedQueue, waitSecs: number): Promise<boolean> => {
  const { api, clock, room, maxMessages, stopping, ending } = parts;
  if (stopping.aborted) return false;
  const count = room.take(maxMessages);
  if (count === 0) return false;
  const askedAt = clock.now();
  try {
    const messages = await api.receive(queue.url, { count, waitSecs }, ending);
    if (messages.length > 0) queue.take(messages, askedAt);
    return messages.length === maxMessages;
  } finally {
    room.give(count);
  }
};
