import type { WebSocket } from "ws";

/** Inflates one frame; `ws` reads the next one after `done` is called. */
type Decompress = (data: Buffer, isLast: boolean, done: (...result: unknown[]) => void) => void;

/** The accepted extensions of a connection, which the types of `ws` omit. */
interface WithExtensions {
  readonly _extensions?: Readonly<Record<string, { decompress: Decompress } | undefined>>;
}

/**
 * Holds the next compressed frame while the connection is paused. `ws` itself only stops reading, and would inflate every frame of the 64 KiB that it has
 * already read, which can become 64 MiB.
 *
 * Overrides `decompress`, the only asynchronous step in which `ws` processes data that it has read. If a release of `ws` works differently,
 * `compressed-limits.test.ts` fails.
 */
export class InflateGate {
  private held: (() => void) | null = null;

  constructor(ws: WebSocket) {
    const inflater = (ws as unknown as WithExtensions)._extensions?.["permessage-deflate"];
    if (inflater === undefined) return;
    const { decompress } = inflater;
    inflater.decompress = (...frame) => {
      const inflate = (): void => decompress.apply(inflater, frame);
      if (ws.isPaused) this.held = inflate;
      else inflate();
    };
  }

  /** Inflates the held frame. Call it after `ws` was resumed. */
  open(): void {
    const { held } = this;
    this.held = null;
    held?.();
  }
}
