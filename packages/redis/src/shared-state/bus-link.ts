import type { MemberRow } from "./membership.ts";

/** Events of a link. */
export interface BusLinkEvents {
  /** Called with each message. */
  readonly onMessage: (text: string) => void;
  /** Called whenever the channels were subscribed (again). */
  readonly onSubscribed: () => void;
  /** Called when the subscription was lost. The link subscribes again by itself. */
  readonly onLost: () => void;
}

/** The server's list of members. */
export interface MemberList {
  readonly rows: readonly MemberRow[];
  /** Milliseconds since the server started, rounded down; `Infinity` if unknown. */
  readonly uptimeMs: number;
}

/** The connection of one process to the server that forwards the messages. */
export interface BusLink {
  /** Subscribes to messages for all members and to those for this one. */
  open(events: BusLinkEvents): void;
  /** Lists this process as a member for `lifetimeMs`. */
  renew(lifetimeMs: number): Promise<MemberList>;
  /** Sends a message to all members, and atomically reads their list. */
  announce(text: string): Promise<MemberList>;
  /** Sends a message to one member. */
  send(member: string, text: string): Promise<void>;
  /** Ends the membership of this process. */
  leave(): Promise<void>;
  /** Ends the subscription. */
  close(): void;
}
