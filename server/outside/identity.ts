/** An identity provider people sign in at, spoken to by OpenID Connect. */
export interface IdentityProvider {
  /** The word in `/api/login/{id}`. */
  readonly id: string;
  /** What the button says. */
  readonly name: string;
  readonly issuer: string;
  /** Where to send the browser. `fresh` asks the provider to prove the person anew. */
  authorizationUrl(flow: {
    state: string;
    nonce: string;
    verifier: string;
    redirectUri: string;
    fresh: boolean;
  }): Promise<URL>;
  /** Trades the callback for who it is; throws UPSTREAM when the provider's word does not hold. */
  identify(
    callback: URL,
    expected: { state: string; nonce: string; verifier: string; redirectUri: string },
  ): Promise<ProvidedIdentity>;
}

export interface ProvidedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  /** Only a verified address ever joins an account. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  /** When the person last proved themself to the provider, if it says so. */
  authenticatedAt: Date | null;
}
