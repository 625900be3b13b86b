import type protobuf from "protobufjs";
import type { MessageCodec } from "../service/grpc-service.ts";
import { badMessage } from "./bad-message.ts";
import { isRecord } from "./is-record.ts";
import type { FieldType } from "./message-layout.ts";
import type { NumberedField, NumberedMessage } from "./number-fields.ts";
import { strictReader } from "./strict-reader.ts";
import { fromValue, toValue } from "./struct-values.ts";
import { protobufjs } from "../libraries.ts";

type Members = Readonly<Record<string, unknown>>;

/** Maximum nesting of messages. */
const MAX_DEPTH = 100;

/** Builds the codecs of messages from their layouts: they convert plain values to bytes and back, and check every type. */
export class MessageCodecs {
  private readonly root: protobuf.Root;
  private readonly messages: ReadonlyMap<string, NumberedMessage>;

  constructor(messages: readonly NumberedMessage[]) {
    this.messages = new Map(messages.map((message) => [message.name, message]));
    this.root = protobufjs().Root.fromJSON({
      nested: {
        ...Object.fromEntries(messages.map((message) => [message.name, typeOf(message)])),
        google: { nested: { protobuf: { nested: wellKnownTypes() } } },
      },
    });
    this.root.resolveAll();
  }

  /** Returns the codec of a message by its name. */
  of(name: string): MessageCodec {
    const type = this.root.lookupType(name);
    return {
      encode: (value) => type.encode(this.outgoing(name, value, "message", 0) as never).finish() as Buffer, // protobufjs writes buffers on Node
      decode: (bytes) =>
        this.incoming(name, type.decode(strictReader(bytes)) as unknown as Members, "message"),
    };
  }

  private outgoing(name: string, value: unknown, place: string, depth: number): Members {
    if (!isRecord(value)) throw badMessage(place, "an object");
    if (depth > MAX_DEPTH) throw badMessage(place, `at most ${MAX_DEPTH} messages deep`);
    const members: Record<string, unknown> = {};
    for (const field of this.fieldsOf(name)) {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const at = `${place}.${field.name}`;
      const isAbsent =
        given === undefined || (given === null && (field.type.kind !== "json" || field.optional));
      if (!isAbsent) members[field.name] = this.outgoingField(field, given, at, depth);
      else if (!field.optional && field.type.kind !== "json") throw badMessage(at, "present");
    }
    return members;
  }

  private outgoingField(
    { form, type }: NumberedField,
    value: unknown,
    place: string,
    depth: number,
  ): unknown {
    if (form === "single") return this.outgoingValue(type, value, place, depth);
    if (form === "repeated") {
      if (!Array.isArray(value)) throw badMessage(place, "a list");
      return value.map((item, at) => this.outgoingValue(type, item, `${place}[${at}]`, depth));
    }
    if (!isRecord(value)) throw badMessage(place, "an object");
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key.toWellFormed(),
        this.outgoingValue(type, item, `${place}.${key}`, depth),
      ]),
    );
  }

  private outgoingValue(type: FieldType, value: unknown, place: string, depth: number): unknown {
    if (type.kind === "message") return this.outgoing(type.message, value, place, depth + 1);
    if (type.kind === "json") return toValue(value, place, depth + 1);
    const { scalar } = type;
    if (scalar === "string") {
      if (typeof value !== "string") throw badMessage(place, "a string");
      return value.toWellFormed(); // protobufjs writes a lone surrogate as invalid UTF-8
    }
    if (scalar === "bool" && typeof value !== "boolean") throw badMessage(place, "true or false");
    if (scalar === "double" && typeof value !== "number") throw badMessage(place, "a number");
    if (scalar === "int64" && !Number.isSafeInteger(value))
      throw badMessage(place, "a whole number up to 2^53 - 1");
    return value;
  }

  private incoming(name: string, message: Members, place: string): Members {
    const members: [string, unknown][] = [];
    for (const field of this.fieldsOf(name)) {
      const value = this.incomingField(field, message, `${place}.${field.name}`);
      if (value !== undefined) members.push([field.name, value]);
    }
    return Object.fromEntries(members);
  }

  private incomingField(field: NumberedField, message: Members, place: string): unknown {
    const { name, form, type, optional } = field;
    const absent = field.nullable ? null : undefined;
    const isPresent = Object.hasOwn(message, name) && message[name] !== null;
    if (form === "repeated") {
      const items = (isPresent ? message[name] : []) as readonly unknown[];
      return items.length === 0 && optional
        ? absent
        : items.map((item) => this.incomingValue(type, item, place));
    }
    if (form === "map") {
      const entries = Object.entries((isPresent ? message[name] : {}) as Members);
      if (entries.length === 0 && optional) return absent;
      return Object.fromEntries(entries.map(([key, item]) => [key, this.incomingValue(type, item, place)]));
    }
    if (isPresent) return this.incomingValue(type, message[name], place);
    return optional || type.kind !== "scalar" ? absent : defaults[type.scalar];
  }

  private incomingValue(type: FieldType, value: unknown, place: string): unknown {
    if (type.kind === "message") return this.incoming(type.message, value as Members, place);
    if (type.kind === "json") return fromValue(value as never);
    return type.scalar === "int64" ? safeInteger(value, place) : value;
  }

  private fieldsOf(name: string): readonly NumberedField[] {
    return this.messages.get(name)?.fields ?? [];
  }
}

/** Values of absent fields that have no presence in proto3. */
const defaults = { string: "", double: 0, int64: 0, bool: false } as const;

const safeInteger = (value: unknown, place: string): number => {
  const number = typeof value === "number" ? value : Number(String(value)); // String() of a Long has all its digits
  if (!Number.isSafeInteger(number)) throw badMessage(place, "a whole number up to 2^53 - 1");
  return number;
};

const typeOf = ({ fields }: NumberedMessage): protobuf.IType => {
  const entries = fields.map(
    ({ name, number, type, form }): [string, protobuf.IField | protobuf.IMapField] => {
      const single =
        type.kind === "scalar" ? type.scalar : type.kind === "json" ? "google.protobuf.Value" : type.message;
      if (form === "map") return [name, { keyType: "string", type: single, id: number }];
      return [name, { type: single, id: number, ...(form === "repeated" && { rule: "repeated" }) }];
    },
  );
  return { fields: Object.fromEntries(entries) };
};

const wellKnownTypes = (): Record<string, protobuf.AnyNestedObject> => {
  const struct = protobufjs().common.get("google/protobuf/struct.proto")?.nested as
    | { google?: { nested?: { protobuf?: { nested?: Record<string, protobuf.AnyNestedObject> } } } }
    | undefined;
  return struct?.google?.nested?.protobuf?.nested ?? {};
};
