/** A process of the tests: tries to enter a fresh network and tells why it cannot. */
import { announce } from "./announce.ts";
import { enterFreshNetwork } from "./own_network.ts";

try {
  announce({ network: enterFreshNetwork().id });
} catch (error) {
  announce({ refusal: String(error) });
}
