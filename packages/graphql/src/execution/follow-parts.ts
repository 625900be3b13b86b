import type { ExecutionResult, GraphQLError } from "graphql";
import type { PartialResults, PartMember, ResultPart } from "../graphql-js/in-parts.ts";

/** The parts after the first, and a promise of the end with the errors of all parts. */
interface FollowedParts {
  readonly others: AsyncIterableIterator<ResultPart>;
  readonly ended: Promise<ExecutionResult>;
}

/** Forwards parts. `ended` resolves after the last part, on a failure, when the reader stops, or when the client disconnects. */
export const followParts = (
  { initialResult, subsequentResults }: PartialResults,
  signal: AbortSignal,
): FollowedParts => {
  const { data = null } = initialResult;
  const errors: GraphQLError[] = [...errorsOf(initialResult)];
  const { promise: ended, resolve } = Promise.withResolvers<ExecutionResult>();
  const end = (): void => {
    signal.removeEventListener("abort", stop);
    resolve(errors.length === 0 ? { data } : { data, errors });
  };
  const stop = (): void => {
    end();
    subsequentResults.return().catch(() => {}); // ends the resolvers; a failure is ignored, because no client waits for it
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  const others: AsyncIterableIterator<ResultPart> = {
    [Symbol.asyncIterator]: () => others,
    async next() {
      try {
        const step = await subsequentResults.next();
        if (step.done !== true) errors.push(...errorsOf(step.value));
        if (step.done === true || !step.value.hasNext) end();
        return step;
      } catch (error) {
        end();
        if (signal.aborted) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      stop();
      return { done: true, value: undefined };
    },
  };
  return { others, ended };
};

const errorsOf = ({ errors = [], incremental = [], completed = [] }: ResultPart): readonly GraphQLError[] => [
  ...errors,
  ...[...incremental, ...completed].flatMap((member: PartMember) => member.errors ?? []),
];
