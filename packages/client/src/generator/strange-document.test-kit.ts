/** Text that would end a comment, a literal and a template, and reorder or hide the following text. */
export const hostile = '*/ process.exit(1); /* \u2028 */ "`${x}` \u202e @deprecated';

/** A document whose names and strings try to inject code. */
export const strange: object = {
  openapi: "3.1.0",
  info: { title: `${hostile}\nimport "x"`, version: "1" },
  paths: {
    [`/${hostile}/{id}`]: {
      get: { operationId: hostile, summary: hostile, responses: { 200: { content: { [hostile]: {} } } } },
    },
    "/o": {
      get: { operationId: "toString", responses: { 200: {} } },
      put: { operationId: "has_own_property", responses: { 200: {} } },
      post: { operationId: "valueOf", responses: { 200: {} } },
    },
    "/a": {
      get: { operationId: "then", responses: {} },
      head: { operationId: "$close", responses: {} },
      put: {
        operationId: "__proto__",
        responses: {
          default: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/__proto__" } } },
          },
        },
      },
      post: {
        operationId: "class",
        parameters: [{ name: "__proto__", in: "query", style: hostile, schema: {} }],
        responses: {},
      },
      patch: { operationId: "Class", responses: { 200: { content: { "text/event-stream": {} } } } },
      delete: { operationId: "日本", responses: { 204: {} }, security: [{ [hostile]: [] }] },
    },
  },
  components: {
    schemas: {
      ["__proto__"]: {
        type: "object",
        properties: { [hostile]: { const: hostile }, ["__proto__"]: { type: "string" } },
      },
      [hostile]: { enum: [hostile, "</script>"] },
      Tree: {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
      },
    },
    securitySchemes: {
      [hostile]: { type: "apiKey", in: "header", name: "x-key" },
      ["__proto__"]: { type: "http", scheme: "bearer" },
    },
  },
};
