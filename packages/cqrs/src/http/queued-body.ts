import type { StandardSchema } from "@framework/core";

/** Body of the reply to a queued command. */
export interface QueuedBody {
  readonly id: string;
  /** Path of the command's status. */
  readonly status_url: string;
}

const bodySchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "Id of the command." },
    status_url: { type: "string", description: "Path of its status." },
  },
  required: ["id", "status_url"],
};

const standard = {
  version: 1,
  vendor: "framework",
  validate: (value: unknown) => ({ value: value as QueuedBody }), // created by the endpoint
  jsonSchema: { input: () => bodySchema, output: () => bodySchema },
} as const;

/** Schema of the body, for the API document. */
export const queuedBody: StandardSchema<QueuedBody> = { "~standard": standard };
