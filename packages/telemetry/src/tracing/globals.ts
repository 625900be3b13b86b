import {
  context,
  type ContextManager,
  metrics,
  type MeterProvider,
  propagation,
  ProxyTracerProvider,
  type TextMapPropagator,
  trace,
  type TracerProvider,
} from "@opentelemetry/api";
import type { Contexts } from "./tracing.ts";

/** Providers and propagator of one app. */
export interface AppSdk {
  readonly tracers: TracerProvider;
  readonly meters: MeterProvider;
  readonly propagator: TextMapPropagator;
}

/** Providers of apps; any other registered provider is the program's own. */
const appProviders: WeakSet<object> = new WeakSet();
/** Contexts that all apps of this process share, and the number of apps. */
let shared: { readonly contexts: Contexts; readonly isRegistered: boolean; users: number } | null = null;

/** Whether the program runs its own OpenTelemetry SDK. */
export const programHasSdk = (): boolean => {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return !appProviders.has(provider);
  const delegate = provider.getDelegate();
  const none = new ProxyTracerProvider().getDelegate();
  return delegate !== none && !appProviders.has(delegate);
};

/** Registers a context manager for all apps of the process, unless there is one. `release` by the last app removes it. */
export const shareContexts = (
  create: () => ContextManager & Contexts,
): { readonly contexts: Contexts; readonly release: () => void } => {
  if (shared === null) {
    const manager = create().enable();
    const isRegistered = context.setGlobalContextManager(manager);
    shared = { contexts: isRegistered ? manager : context, isRegistered, users: 0 };
  }
  const current = shared;
  current.users++;
  return {
    contexts: current.contexts,
    release() {
      if (--current.users > 0) return;
      if (current.isRegistered) context.disable();
      shared = null;
    },
  };
};

/** Registers an app's SDK for the program's own spans and instruments, unless another app has registered its SDK. Returns a function that removes it. */
export const registerSdk = ({ tracers, meters, propagator }: AppSdk): (() => void) => {
  appProviders.add(tracers);
  if (!trace.setGlobalTracerProvider(tracers)) return () => {};
  const undo = [() => trace.disable()];
  if (metrics.setGlobalMeterProvider(meters)) undo.push(() => metrics.disable());
  if (propagation.setGlobalPropagator(propagator)) undo.push(() => propagation.disable());
  return () => {
    for (const task of undo) task();
  };
};
