import type { Problem } from "@framework/core";
import { isStandardSchema, unknownFields } from "@framework/core/feature";
import type { WebSocketConfig } from "./websocket-config.ts";
import type { AnyOptions } from "./websocket-handler.ts";

const names: Readonly<Record<keyof AnyOptions, true>> = {
  guards: true,
  inject: true,
  injectEach: true,
  message: true,
  limits: true,
  http: true,
  protocols: true,
};

/** Returns the mistakes in the options and the handler of a route that other checks do not find. */
export const optionProblems = (path: string, options: AnyOptions, handler: unknown): readonly string[] => {
  const place = `the options of the WebSocket route ${path}`;
  const { http, message, protocols = [] } = options;
  const areNames =
    Array.isArray(protocols) && protocols.every((name) => typeof name === "string" && TOKEN.test(name));
  return [
    ...unknownFields(place, options, Object.keys(names)),
    ...(http === undefined || typeof http === "function" ? [] : [`${place}: http must be a function`]),
    ...(message === undefined || isStandardSchema(message)
      ? []
      : [`${place}: message must be a schema that follows Standard Schema, such as z.object({ … }) of zod`]),
    ...(typeof handler === "function"
      ? []
      : [`the handler of the WebSocket route ${path} must be a function`]),
    ...(areNames ? [] : [`${place}: protocols must be a list of names without spaces`]),
  ];
};

/** Returns the message for options that are not an object, such as a guard. */
export const optionsNotObject = (path: string): string =>
  `the options of the WebSocket route ${path} must be an object, such as { guards: [isMember] }; the handler is the last argument`;

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Returns the mistake of a timeout that expires before the first ping, which closes idle clients. @param place such as `WebSocket route /chat` */
export const timeoutProblems = (
  place: string,
  { pingSecs, timeoutSecs }: WebSocketConfig,
): readonly Problem[] =>
  timeoutSecs > pingSecs
    ? []
    : [
        {
          code: "CORE_BAD_CONFIG",
          message: `${place}: timeoutSecs must be above pingSecs (${pingSecs}), not ${timeoutSecs}: clients without messages would be closed before a ping`,
        },
      ];
