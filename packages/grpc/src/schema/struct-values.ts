import { badMessage } from "./bad-message.ts";

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

/** Maximum depth of JSON in a message. */
const MAX_DEPTH = 100;

/** Converts JSON to `google.protobuf.Value`. Members that are `undefined` are left out. @throws GRPC_BAD_MESSAGE */
export const toValue = (value: unknown, place = "value", depth = 0): ProtoValue => {
  if (depth > MAX_DEPTH) throw badMessage(place, `JSON of at most ${MAX_DEPTH} levels`);
  if (value === null) return { nullValue: 0 };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number" && Number.isFinite(value)) return { numberValue: value };
  if (Array.isArray(value))
    return { listValue: { values: value.map((item, at) => toValue(item, `${place}[${at}]`, depth + 1)) } };
  if (typeof value === "object") return { structValue: toStruct(value, place, depth) };
  throw badMessage(place, "JSON");
};

/** Converts an object to `google.protobuf.Struct`. @throws GRPC_BAD_MESSAGE */
export const toStruct = (value: unknown, place = "message", depth = 0): ProtoStruct => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badMessage(place, "an object");
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return {
    fields: Object.fromEntries(
      members.map(([name, member]) => [name, toValue(member, `${place}.${name}`, depth + 1)]),
    ),
  };
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

/** Converts `google.protobuf.Struct` to an object. Every name is an own member, `__proto__` too. */
export const fromStruct = ({ fields = {} }: ProtoStruct): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]));
