import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const openapiErrors: ErrorCatalogue = {
  OPENAPI_NO_JSON_SCHEMA: {
    summary: "a route's schema comes from a library without Standard JSON Schema; the app does not start",
    action: "install or pass the converter that the message names, or hide the route",
  },
};
