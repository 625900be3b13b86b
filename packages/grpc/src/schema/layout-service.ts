import type { Problem } from "@framework/core";
import { isIdentifier } from "../service/grpc-service.ts";
import type { MethodSchemas, SchemaService } from "../service/schema-service.ts";
import { jsonSchemaOf } from "./json-schema-of.ts";
import { LayoutMessages } from "./layout-messages.ts";
import type { MessageLayouts } from "./message-layout.ts";
import type { ProtoMethod } from "./proto-text.ts";

/** The methods and messages of a service, and every mistake. */
export interface ServiceLayout {
  readonly methods: readonly ProtoMethod[];
  readonly messages: MessageLayouts;
  readonly problems: Problem[];
}

/** Lays out the messages of a service from its schemas. */
export const layoutService = ({ name: service, schemas }: SchemaService): ServiceLayout => {
  const messages = new LayoutMessages();
  const add = (method: string, side: "request" | "response", { [side]: schema }: MethodSchemas): string => {
    const name = `${method}${side === "request" ? "Request" : "Response"}`;
    const place = `${service}.${method}: ${side}`;
    const json = jsonSchemaOf(schema);
    if (json !== null) return messages.add(json, name, place);
    const { vendor } = schema["~standard"];
    const message = `${place}: ${vendor} offers no Standard JSON Schema; use another library, or write a .proto`;
    messages.problems.push({ code: "GRPC_NO_JSON_SCHEMA", message });
    return name;
  };
  const methods = Object.entries(schemas).map(([name, method]): ProtoMethod => {
    if (!isIdentifier(name))
      messages.problems.push({
        code: "GRPC_BAD_SERVICE",
        message: `${service}: ${name} is not a valid method name`,
      });
    return {
      name,
      request: add(name, "request", method),
      response: add(name, "response", method),
      requestStream: method.requestStream === true,
      responseStream: method.responseStream === true,
    };
  });
  const ownName = service.slice(service.lastIndexOf(".") + 1);
  if (messages.messages.has(ownName))
    messages.problems.push({
      code: "GRPC_UNMAPPABLE",
      message: `${service}: a message has the name of the service, ${ownName}; give its schema another \`title\``,
    });
  return { methods, messages: messages.messages, problems: messages.problems };
};
