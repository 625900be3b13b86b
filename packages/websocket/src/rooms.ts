import { FrameworkError, HttpError } from "@framework/core";
import { markHandled, type Json, type SharedValues } from "@framework/core/feature";
import { type Bytes, bytesOf, textOf } from "./message-data.ts";

/** The members of a room, in every worker. */
export interface Room {
  /** Members connected to this worker. */
  readonly localSize: number;
  /**
   * Sends a text message of at most 45 000 bytes to every member; resolves when each worker has forwarded it to its members.
   *
   * @throws WEBSOCKET_BROADCAST_INCOMPLETE when a worker lost its connection to the others, or died, before it confirmed; its members may have missed the
   * message. WEBSOCKET_BROADCAST_TOO_LARGE, WEBSOCKET_BAD_MESSAGE for a value that is not a string, WEBSOCKET_NOT_STARTED, WEBSOCKET_NO_ROUTE in an app without WebSocket routes, CORE_SHARED_STATE_UNAVAILABLE
   */
  sendText(text: string, options?: RoomSendOptions): Promise<void>;
  /** Sends a binary message; see `sendText`. */
  sendBinary(data: Bytes, options?: RoomSendOptions): Promise<void>;
  /** Sends a value as JSON; see `sendText`. @throws WEBSOCKET_NO_JSON like `sendJson` of a socket */
  sendJson(value: unknown, options?: RoomSendOptions): Promise<void>;
}

/** Options of a message to a room. */
export interface RoomSendOptions {
  /** A member that does not get the message, usually the sender. */
  readonly except?: { readonly id: string };
}

/** A connection that can join rooms. */
interface RoomMember {
  readonly id: string;
  readonly connected: boolean;
  deliver(data: string | Uint8Array): void;
}

/** Maximum bytes of a message: in Base64 it then stays below the shared state's limit of 64 KiB. */
const MAX_BYTES = 45_000;
/** Maximum bytes of a text as JSON with its escapes; a longer text is sent in Base64, which is then shorter. */
const MAX_JSON_BYTES = 60_000;
/** Maximum bytes of JSON for one byte of text. */
const MAX_ESCAPE_BYTES = 6;
const MAX_ROOMS_PER_CONNECTION = 100;
const MAX_NAME = 200;
const CHANNEL = "websocket:rooms";

/** Rooms of an app: the members in this worker, and messages to and from all workers. */
export class Rooms {
  private readonly rooms = new Map<string, Set<RoomMember>>();
  private readonly roomsOfMember = new WeakMap<RoomMember, Set<string>>();
  private shared: SharedValues | null = null;
  private write: ((value: unknown) => string) | null = null;
  private readonly hasRoutes: () => boolean;

  /** @param hasRoutes returns whether the app has a WebSocket route: without one, `connect` is never called */
  constructor(hasRoutes: () => boolean) {
    this.hasRoutes = hasRoutes;
  }

  /**
   * Subscribes to messages from all workers. Returns a function that ends the subscription.
   *
   * @param write returns a value as JSON text
   */
  connect(shared: SharedValues, write: (value: unknown) => string): () => void {
    this.shared = shared;
    this.write = write;
    return shared.subscribe(CHANNEL, (message) => this.deliver(message));
  }

  join(name: string, member: RoomMember): void {
    checkName(name);
    if (!member.connected) return;
    const names = this.roomsOfMember.get(member) ?? new Set();
    if (names.size >= MAX_ROOMS_PER_CONNECTION && !names.has(name)) {
      throw new FrameworkError(
        "WEBSOCKET_TOO_MANY_ROOMS",
        `a connection can be in at most ${MAX_ROOMS_PER_CONNECTION} rooms`,
      );
    }
    this.roomsOfMember.set(member, names.add(name));
    this.rooms.set(name, (this.rooms.get(name) ?? new Set()).add(member));
  }

  leave(name: string, member: RoomMember): void {
    this.roomsOfMember.get(member)?.delete(name);
    const members = this.rooms.get(name);
    if (members?.delete(member) === true && members.size === 0) this.rooms.delete(name);
  }

  leaveAll(member: RoomMember): void {
    for (const name of this.roomsOfMember.get(member) ?? []) this.leave(name, member);
  }

  /** @throws WEBSOCKET_BAD_ROOM */
  room(name: string): Room {
    checkName(name);
    const messageOf = (data: string | Uint8Array, { except }: RoomSendOptions = {}): RoomMessage => ({
      room: name,
      ...encode(data),
      except: except?.id ?? null,
    });
    const sizeOf = (): number => this.rooms.get(name)?.size ?? 0;
    return {
      get localSize() {
        return sizeOf();
      },
      sendText: (text, options) => markHandled(this.publish(() => messageOf(textOf(text), options))),
      sendBinary: (data, options) => markHandled(this.publish(() => messageOf(bytesOf(data), options))),
      sendJson: (value, options) => markHandled(this.publish((write) => messageOf(write(value), options))),
    };
  }

  private async publish(create: (write: (value: unknown) => string) => RoomMessage): Promise<void> {
    if (this.shared === null || this.write === null) throw this.hasRoutes() ? notStarted() : noRoute();
    const message = create(this.write);
    if (await this.shared.publish(CHANNEL, { ...message })) return;
    throw new BroadcastIncompleteError(message.room);
  }

  private deliver(message: Json): void {
    const { room, except, ...encodedData } = message as unknown as RoomMessage; // the type is correct: only `publish` writes to the channel
    const data = decode(encodedData);
    for (const member of this.rooms.get(room) ?? []) if (member.id !== except) member.deliver(data);
  }
}

const checkName = (name: unknown): void => {
  if (typeof name === "string" && name !== "" && name.length <= MAX_NAME) return;
  throw new FrameworkError(
    "WEBSOCKET_BAD_ROOM",
    `a room's name must be a string of 1 to ${MAX_NAME} characters`,
  );
};

const notStarted = (): FrameworkError =>
  new FrameworkError("WEBSOCKET_NOT_STARTED", "start the app before sending to rooms");

const noRoute = (): FrameworkError =>
  new FrameworkError(
    "WEBSOCKET_NO_ROUTE",
    "this app has no WebSocket route, so its rooms are not connected; add one with app.websocket(path, handler) before the start",
  );

/** A 503 with `Retry-After`. The room's name is only logged and not part of the reply. */
class BroadcastIncompleteError extends HttpError {
  override readonly name = "BroadcastIncompleteError";
  override readonly detail: string = "Not every process confirmed the message";

  constructor(room: string) {
    super(
      503,
      `a message to the room "${room}" was not confirmed by every process; members in the processes that confirmed it have it`,
      { code: "WEBSOCKET_BROADCAST_INCOMPLETE", headers: { "retry-after": "1" }, retry_after: 1 },
    );
  }
}

/** Message data in the shared state: text unchanged or its UTF-8 in Base64; bytes in Base64. */
interface EncodedData {
  readonly data: string;
  readonly form: "text" | "text-base64" | "bytes-base64";
}

interface RoomMessage extends EncodedData {
  readonly room: string;
  readonly except: string | null;
}

/** @throws WEBSOCKET_BROADCAST_TOO_LARGE */
const encode = (data: string | Uint8Array): EncodedData => {
  const bytes = Buffer.byteLength(data);
  if (bytes > MAX_BYTES)
    throw new FrameworkError(
      "WEBSOCKET_BROADCAST_TOO_LARGE",
      `a message to a room has at most ${MAX_BYTES} bytes`,
    );
  if (typeof data !== "string") return { data: Buffer.from(data).toString("base64"), form: "bytes-base64" };
  return bytes * MAX_ESCAPE_BYTES <= MAX_JSON_BYTES ||
    Buffer.byteLength(JSON.stringify(data)) <= MAX_JSON_BYTES
    ? { data, form: "text" }
    : { data: Buffer.from(data).toString("base64"), form: "text-base64" };
};

const decode = ({ data, form }: EncodedData): string | Uint8Array => {
  if (form === "text") return data;
  const bytes = Buffer.from(data, "base64");
  return form === "text-base64" ? bytes.toString("utf8") : bytes;
};
