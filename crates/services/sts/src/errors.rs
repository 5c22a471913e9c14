//! Error codes of the service, and their texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule.
    INVALID = "ValidationError", 400, Invalid {
        invalid_token = "The token is invalid.";
        value_invalid(value) = "{value} is invalid";
        request_arn_invalid = "Request ARN is invalid";
        duration_over_maximum = "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.";
        duration_over_hour = "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.";
        tag_invalid(key) = "The tag with key {key} is not valid.";
        too_many_tags = "The number of tags has reached the maximum limit.";
        context_assertion_invalid = "The context assertion is not valid.";
        principal_outside_account = "Principal exists outside the account of the Role being assumed";
    }
    /// A value is not allowed.
    INVALID_PARAMETER = "InvalidParameterValue", 400, Invalid {
        duplicate_tag = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
        reserved_tag = "aws: prefixed tag key names are not allowed for external use.";
        transitive_tag_missing = "The specified transitive tag key must be included in the requested tags.";
        transitive_tag_inherited = "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.";
    }
    /// The caller may not do this.
    ACCESS_DENIED = "AccessDenied", 403, Denied {
        not_authorized(principal, action, resource) = "User: {principal} is not authorized to perform: {action} on resource: {resource}";
        web_identity_not_authorized = "Not authorized to perform sts:AssumeRoleWithWebIdentity";
        saml_not_authorized = "Not authorized to perform sts:AssumeRoleWithSAML";
        root_cannot_assume = "Roles may not be assumed by root accounts.";
        called_with_session(operation) = "Cannot call {operation} with session credentials";
        mfa_code_wrong = "MultiFactorAuthentication failed with invalid MFA one time pass code.";
        mfa_incomplete = "MultiFactorAuthentication failed, must provide both MFA serial number and one time pass code.";
    }
    /// A policy document is malformed.
    MALFORMED_POLICY = "MalformedPolicyDocument", 400, Invalid {
        policy_not_json = "This policy contains invalid Json";
        policy_syntax = "Syntax errors in policy.";
        policy_sid_repeated = "Statement IDs (SID) in a single policy must be unique.";
        policy_without_actions = "Policy statement must contain actions.";
        policy_without_resources = "Policy statement must contain resources.";
        policy_with_principal = "Policy document should not specify a principal.";
        policy_action_without_vendor = "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.";
        policy_resource(resource) = "Resource {resource} must be in ARN format or \"*\".";
    }
    /// Session policies and tags take more space than a session has.
    PACKED_POLICY_TOO_LARGE = "PackedPolicyTooLarge", 400, LimitExceeded {
        packed_too_large(percent) = "Packed policy consumes {percent}% of allotted space, please use smaller policy.";
    }
    /// A web identity token or a SAML assertion cannot be verified.
    INVALID_IDENTITY_TOKEN = "InvalidIdentityToken", 400, Invalid {
        not_a_token = "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)";
        claim_missing(claim) = "Missing a required claim: {claim}";
        provider_not_found(issuer) = "No OpenIDConnect provider found in your account for {issuer}";
        key_not_found = "Couldn't retrieve verification key from your identity provider,  please reference AssumeRoleWithWebIdentity documentation for requirements";
        signature_invalid = "The signature of the web identity token is not valid.";
        audience_wrong = "Incorrect token audience";
        saml_provider_missing = "Specified provider doesn't exist";
        saml_response_malformed = "Invalid base64 SAMLResponse";
        saml_issuer_wrong = "Issuer not present in specified provider";
        saml_signature_invalid = "Response signature invalid";
        saml_recipient_missing = "Responses must contain SubjectConfirmatonData with a Recipient and NotOnOrAfter";
        saml_audience_missing = "Response does not contain the required audience.";
        saml_role_missing = "SAML Assertion doesn't contain the requested Role and Metadata in the attributes";
        saml_session_name_missing = "RoleSessionName is required in AuthnResponse";
        saml_session_name_invalid = "RoleSessionName in AuthnResponse must match [a-zA-Z_0-9+=,.@-]{{2,64}}";
        saml_source_identity_invalid = "Source Identity must match [a-zA-Z_0-9+=,.@-]{{2,64}} and not begin with \"aws:\"";
    }
    /// A web identity token or a SAML assertion has expired.
    EXPIRED_TOKEN = "ExpiredTokenException", 400, Expired {
        token_expired(now, expiration) = "Token expired: current date/time {now} must be before the expiration date/time {expiration}";
        saml_response_expired = "Response has expired";
        saml_response_too_old = "Token must be redeemed within 5 minutes of issuance";
    }
    /// A claim of a web identity token or a SAML assertion is not accepted.
    CLAIM_REJECTED = "IDPRejectedClaim", 403, Denied {
        token_not_valid_yet(now, start) = "Token not valid yet: current date/time {now} must be after the date/time {start}";
        saml_status_rejected = "The identity provider reported that authentication failed";
        saml_response_not_valid_yet = "Response is not valid yet";
    }
    /// An encoded message about a refusal cannot be decoded.
    INVALID_MESSAGE = "InvalidAuthorizationMessageException", 400, Invalid {
        message_invalid = "Message is not valid";
    }
}
