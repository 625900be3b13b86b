/**
 * Registers a variant of a middleware that also gives reasons, and returns the middleware. Chains that are compiled for request traces contain the variant, so
 * a request that no tool traces costs nothing more.
 *
 * @param explaining must decide as `middleware` does; usually calls it
 */
export const explainedBy = <M extends object>(middleware: M, explaining: NoInfer<M>): M => {
  variants.set(middleware, explaining);
  return middleware;
};

/** Returns the variant of a middleware that gives reasons, by default the middleware itself. */
export const explainingVariantOf = <M extends object>(middleware: M): M =>
  (variants.get(middleware) as M | undefined) ?? middleware; // `explainedBy` stores variants of the same type

const variants = new WeakMap<object, object>();
