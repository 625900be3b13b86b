import { isPromise } from "@framework/core/feature";
import type { Event } from "../envelope/event.ts";
import { badMessage } from "./to-event.ts";
import { schemaOf, type Topic } from "./topic.ts";

type Issues = readonly {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}[];

/** Validates the data of an event against the schema of its topic. @throws MESSAGING_BAD_MESSAGE */
export const checkData = async (topic: string | Topic, { type, data }: Event): Promise<void> => {
  if (typeof topic === "string") return;
  const schema = schemaOf(topic, type);
  if (schema === undefined) throw badMessage(`the topic "${topic.name}" has no type "${type}"`);
  const result = schema["~standard"].validate(data);
  const { issues } = isPromise(result) ? await result : result;
  if (issues === undefined) return;
  throw badMessage(`the data of "${type}" does not fit its schema: ${issuesText(issues)}`);
};

/** Formats the first 10 issues of a validation, in at most 1,000 characters. */
export const issuesText = (issues: Issues): string =>
  issues
    .slice(0, 10)
    .map(({ message, path = [] }) => `${path.map(partText).join(".")}: ${message}`)
    .join("; ")
    .slice(0, 1000);

const partText = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part);
