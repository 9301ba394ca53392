/**
 * The one place that imports undici.
 * Invariant: whoever has imported this module has the real package, or no module at all.
 */

import * as undici from "undici-client";
import { assertUndici } from "./assert_undici.ts";

assertUndici(undici);

export const { Client, buildConnector } = undici;
export type UndiciClient = InstanceType<typeof undici.Client>;
export type Connector = ReturnType<typeof undici.buildConnector>;
export type DispatchController = undici.Dispatcher.DispatchController;
export type DispatchHandler = undici.Dispatcher.DispatchHandler;
