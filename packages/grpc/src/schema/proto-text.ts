import { protoType } from "./message-layout.ts";
import type { NumberedField, NumberedMessage } from "./number-fields.ts";

/** A method of a `.proto`. */
export interface ProtoMethod {
  readonly name: string;
  /** Names of the request and response messages. */
  readonly request: string;
  readonly response: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** The content of a `.proto`. */
export interface ProtoContent {
  /** Full name of the service. */
  readonly service: string;
  readonly methods: readonly ProtoMethod[];
  readonly messages: readonly NumberedMessage[];
}

const HEADER = `// Written by framework-grpc from the schemas of the service. Commit it: it records the number of every field. Do not
// change it by hand, except for comments.`;

/** Returns the text of a `.proto` with a service and its messages. */
export const protoText = ({ service, methods, messages }: ProtoContent): string => {
  const dot = service.lastIndexOf(".");
  const usesJson = messages.some(({ fields }) => fields.some(({ type }) => type.kind === "json"));
  const parts = [
    `${HEADER}\nsyntax = "proto3";`,
    ...(dot === -1 ? [] : [`package ${service.slice(0, dot)};`]),
    ...(usesJson ? ['import "google/protobuf/struct.proto";'] : []),
    block(`service ${service.slice(dot + 1)}`, methods.map(rpc)),
    ...messages.map((message) => block(`message ${message.name}`, messageLines(message))),
  ];
  return `${parts.join("\n\n")}\n`;
};

const block = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? `${heading} {}` : `${heading} {\n${lines.map((line) => `  ${line}\n`).join("")}}`;

const rpc = ({ name, request, response, requestStream, responseStream }: ProtoMethod): string =>
  `rpc ${name} (${requestStream ? "stream " : ""}${request}) returns (${responseStream ? "stream " : ""}${response});`;

const messageLines = ({ fields, reserved, reservedNames }: NumberedMessage): string[] => [
  ...(reserved.length === 0 ? [] : [`reserved ${reserved.join(", ")};`]),
  ...(reservedNames.length === 0 ? [] : [`reserved ${reservedNames.map((name) => `"${name}"`).join(", ")};`]),
  ...fields.map(fieldLine),
];

const fieldLine = (field: NumberedField): string => {
  // Fields of message types have presence without the keyword.
  const label = field.form === "single" && field.optional && field.type.kind === "scalar" ? "optional " : "";
  return `${label}${protoType(field)} ${field.protoName} = ${field.number};`;
};
