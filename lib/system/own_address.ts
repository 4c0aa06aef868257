import { socketConstants } from "./_socket_constants.ts";
import { canTake, hasDescriptors, withProbe } from "./_socket_probes.ts";
import { SocketAddress } from "./socket_address.ts";
import { setSocketOption } from "./socket_options.ts";

/**
 * Whether an address can be a socket's own, in the calling thread's network namespace: not so for another
 * machine's, and for an IPv6 one where IPv6 is off. No port is taken.
 *
 * Needs `--allow-ffi` of the C library.
 *
 * @param address an IPv4 or IPv6 address
 * @returns whether it can; `null` when there is no descriptor to ask with
 * @throws {TypeError} it is no address
 * @throws {UnsupportedError} this system has no such sockets
 */
export function isOwnAddress(address: string): boolean | null {
  const local = new SocketAddress(address);
  const { bindAddressNoPort } = socketConstants();
  const isTaken = withProbe("tcp", local.family, (descriptor) => {
    if (bindAddressNoPort !== null) setSocketOption(descriptor, "bindAddressNoPort", true);
    return canTake(descriptor, local);
  });
  return isTaken ?? (hasDescriptors() ? false : null);
}
