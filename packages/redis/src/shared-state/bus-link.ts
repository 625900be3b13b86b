import type { MemberRow } from "./membership.ts";

/** What a link reports. */
export interface BusLinkEvents {
  /** Called with each message. */
  readonly receive: (text: string) => void;
  /** Called whenever the channels were subscribed (again). */
  readonly subscribed: () => void;
  /** Called when the subscription was lost. The link subscribes again by itself. */
  readonly lost: () => void;
}

/** The server's list of members. */
export interface MemberList {
  readonly rows: readonly MemberRow[];
  /** Milliseconds since the server started, never too many; `Infinity` if unknown. */
  readonly uptimeMs: number;
}

/** The connection of one process to the server that passes the messages on. */
export interface BusLink {
  /** Subscribes to messages for all members and to those for this one. */
  open(events: BusLinkEvents): void;
  /** Lists this process as a member for `lifetimeMs`. */
  renew(lifetimeMs: number): Promise<MemberList>;
  /** Sends a message to all members, and reads their list in the same step. */
  announce(text: string): Promise<MemberList>;
  /** Sends a message to one member. */
  send(member: string, text: string): Promise<void>;
  /** Ends the membership of this process. */
  leave(): Promise<void>;
  /** Ends the subscription. */
  close(): void;
}
