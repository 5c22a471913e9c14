//! Calls of models that take parameters which the model does not have.

/// Declares methods of a kind that run an operation on the model, with the other required parameters as arguments:
/// `add_user(user_name = "UserName"): AddUserToGroup => AddUserToGroupCall`.
macro_rules! model_calls {
    ($kind:ident {
        $($(#[$docs:meta])+ $method:ident($($param:ident = $name:literal),+): $operation:ident => $call:ident;)+
    }) => {
        impl $kind {$(
            $(#[$docs])+
            pub fn $method(&self, $($param: impl Into<nephos_core::Text>),+) -> $call {
                let params = <$operation as nephos_core::OnModel<Self>>::for_model_except(self, &[$($name),+]);
                let params = params.map(|mut params| {
                    $(params.$param = $param.into();)+
                    params
                });
                $call(nephos_core::Call::on_model(nephos_core::Resource::require_session(self).cloned(), params))
            }
        )+}
    };
}
pub(crate) use model_calls;
