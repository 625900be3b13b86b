import type { OperationRole, TracedOperation } from "@framework/core/feature";
import { SpanKind } from "@opentelemetry/api";

/** Kinds of spans by the role of an operation. */
export const spanKinds: Readonly<Record<OperationRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Returns a span's name: by the conventions for databases, HTTP clients, gRPC and messages, otherwise the kind and the operation's name. */
export const operationSpanName = ({ kind, role, name }: TracedOperation): string => {
  if (kind === "db" || kind === "http.client" || kind === "grpc") return name;
  if (kind === "message") return `${role === "producer" ? "send" : "process"} ${name}`;
  return `${kind} ${name}`;
};

/** Returns attributes that the conventions require and the operation lacks. */
export const addedAttributes = ({ kind, role }: TracedOperation): Readonly<Record<string, string>> => {
  if (kind !== "message") return noAttributes;
  const verb = role === "producer" ? "send" : "process";
  return { "messaging.operation.name": verb, "messaging.operation.type": verb };
};

const noAttributes = Object.freeze({});
