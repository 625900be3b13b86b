import type protobuf from "protobufjs";
import { protobufjs } from "../libraries.ts";

/** One message of a recorded `.proto`. */
export interface RecordedMessage {
  /** Fields in the order of the file. */
  readonly fields: readonly { readonly name: string; readonly type: string; readonly number: number }[];
  /** Reserved numbers, as ranges that include both ends. */
  readonly reserved: readonly (readonly [from: number, to: number])[];
  /** Names of removed fields. */
  readonly reservedNames: readonly string[];
}

/** The messages of a recorded `.proto` by their names. */
export type RecordedNumbers = ReadonlyMap<string, RecordedMessage>;

/** Reads the numbers of a `.proto` that `framework-grpc` wrote. @throws an error for text that is not a `.proto` */
export const readNumbers = (text: string): RecordedNumbers => {
  const { root, package: packageName } = protobufjs().parse(text, { keepCase: true });
  const space = packageName === undefined ? root : root.lookup(packageName);
  const messages = new Map<string, RecordedMessage>();
  if (!(space instanceof protobufjs().Namespace)) return messages;
  for (const nested of space.nestedArray)
    if (nested instanceof protobufjs().Type) messages.set(nested.name, toRecord(nested));
  return messages;
};

const toRecord = (type: protobuf.Type): RecordedMessage => {
  const entries = type.reserved ?? [];
  return {
    fields: type.fieldsArray.map((field) => ({ name: field.name, type: typeOf(field), number: field.id })),
    reserved: entries.flatMap((entry) =>
      typeof entry === "string" ? [] : [[entry[0] ?? 0, entry[1] ?? 0] as const],
    ),
    reservedNames: entries.filter((entry) => typeof entry === "string"),
  };
};

const typeOf = (field: protobuf.Field): string => {
  if (field instanceof protobufjs().MapField) return `map<${field.keyType}, ${field.type}>`;
  return field.repeated ? `repeated ${field.type}` : field.type;
};
