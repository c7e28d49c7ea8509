/** Identity provider that people sign in with, by OpenID Connect. */
export interface IdentityProvider {
  /** Path segment in `/api/login/{id}`. */
  readonly id: string;
  /** Label of the button. */
  readonly name: string;
  readonly issuer: string;
  /** Address that the browser is sent to. `fresh` asks the provider to authenticate the person again. */
  authorizationUrl(flow: {
    state: string;
    nonce: string;
    verifier: string;
    redirectUri: string;
    fresh: boolean;
  }): Promise<URL>;
  /** Exchanges the callback for the identity; throws UPSTREAM when the provider's answer is not valid. */
  identify(
    callback: URL,
    expected: { state: string; nonce: string; verifier: string; redirectUri: string },
  ): Promise<ProvidedIdentity>;
}

export interface ProvidedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  /** Only a verified address can belong to an account. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  /** Time of the last authentication at the provider, if it reports one. */
  authenticatedAt: Date | null;
}
