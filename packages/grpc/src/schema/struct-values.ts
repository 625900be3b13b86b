import { badMessage } from "./bad-message.ts";
import { isRecord } from "./is-record.ts";

/** google.protobuf.Value as protobufjs reads and writes it. */
interface ProtoValue {
  readonly nullValue?: number;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: ProtoStruct;
  readonly listValue?: { readonly values?: readonly ProtoValue[] };
}

/** google.protobuf.Struct as protobufjs reads and writes it. */
interface ProtoStruct {
  readonly fields?: Readonly<Record<string, ProtoValue>>;
}

/** Maximum nesting of messages. */
const MAX_DEPTH = 100;

/** Messages for each level of JSON: a Value, and the Struct or ListValue within it. */
const MESSAGES_PER_LEVEL = 2;

/**
 * Converts JSON to `google.protobuf.Value`. An object with `toJSON` is replaced by its result; members that are `undefined` are omitted.
 *
 * @param depth number of messages around the value
 * @throws GRPC_BAD_MESSAGE
 */
export const toValue = (given: unknown, place = "value", depth = 0): ProtoValue => {
  checkDepth(place, depth);
  const value = jsonOf(given);
  if (value === null) return { nullValue: 0 };
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number" && Number.isFinite(value)) return { numberValue: value };
  if (Array.isArray(value)) {
    checkDepth(place, depth + 1);
    return {
      listValue: {
        values: value.map((item, at) => toValue(item, `${place}[${at}]`, depth + MESSAGES_PER_LEVEL)),
      },
    };
  }
  if (isRecord(value)) return { structValue: structOf(value, place, depth + 1) };
  throw badMessage(place, "JSON");
};

/** Converts an object to `google.protobuf.Struct`. @throws GRPC_BAD_MESSAGE */
export const toStruct = (given: unknown, place = "message"): ProtoStruct => {
  const value = jsonOf(given);
  if (!isRecord(value)) throw badMessage(place, "an object");
  return structOf(value, place, 0);
};

/** @throws GRPC_BAD_MESSAGE for a Value, Struct or ListValue that is too deep, also if it is empty */
const checkDepth = (place: string, depth: number): void => {
  if (depth > MAX_DEPTH)
    throw badMessage(
      place,
      `at most ${MAX_DEPTH} messages deep; a level of JSON counts as ${MESSAGES_PER_LEVEL}`,
    );
};

const structOf = (record: Readonly<Record<string, unknown>>, place: string, depth: number): ProtoStruct => {
  checkDepth(place, depth);
  const members = Object.entries(record).filter(([, member]) => member !== undefined);
  return {
    fields: Object.fromEntries(
      members.map(([name, member]) => [name.toWellFormed(), toValue(member, `${place}.${name}`, depth + 1)]),
    ),
  };
};

/** Returns the result of `toJSON`, such as the string of a `Date`; other values are unchanged. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("toJSON" in value)) return value;
  return typeof value.toJSON === "function" ? (value.toJSON() as unknown) : value;
};

/** Converts `google.protobuf.Value` to JSON. */
export const fromValue = (value: ProtoValue): unknown => {
  if (Object.hasOwn(value, "stringValue")) return value.stringValue;
  if (Object.hasOwn(value, "numberValue")) return value.numberValue;
  if (Object.hasOwn(value, "boolValue")) return value.boolValue;
  if (Object.hasOwn(value, "structValue")) return fromStruct(value.structValue ?? {});
  if (Object.hasOwn(value, "listValue")) return (value.listValue?.values ?? []).map(fromValue);
  return null;
};

/** Converts `google.protobuf.Struct` to an object. Every name, also `__proto__`, becomes an own member. */
export const fromStruct = ({ fields = {} }: ProtoStruct): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]));
