/** Converts objects of this package to JSON values, and back. */
export class Marshaller {
    /** Returns the JSON value of an object. Members that are undefined are left out. */
    public static marshal(value: any): any {
        if (value === null || typeof value !== "object") {
            return value;
        }
        if (value instanceof Date) {
            return value.toISOString();
        }
        if (Array.isArray(value)) {
            return value.map((item) => Marshaller.marshal(item));
        }
        const members = value.constructor && value.constructor.attributeTypeMap;
        const result: { [name: string]: any } = {};
        if (members) {
            for (const member of members) {
                if (value[member.name] !== undefined) {
                    result[member.baseName] = Marshaller.marshal(value[member.name]);
                }
            }
            return result;
        }
        for (const key of Object.keys(value)) {
            result[key] = Marshaller.marshal(value[key]);
        }
        return result;
    }

    /** Returns the object that JSON data describes. The type is the name of a class of this package. */
    public static unmarshal(data: any, type: any): any {
        if (data === undefined || data === null) {
            return data;
        }
        if (type.list) {
            return Array.isArray(data) ? data.map((item) => Marshaller.unmarshal(item, type.list)) : data;
        }
        if (type === "Date") {
            return new Date(data);
        }
        if (typeof data !== "object") {
            return data;
        }
        if (type.map) {
            const result: { [key: string]: any } = {};
            for (const key of Object.keys(data)) {
                result[key] = Marshaller.unmarshal(data[key], type.map);
            }
            return result;
        }
        const known = CLASSES[type];
        if (!known) {
            return data;
        }
        const instance = new known();
        for (const member of known.attributeTypeMap) {
            const value = Marshaller.unmarshal(data[member.baseName], member.type);
            if (value !== undefined) {
                instance[member.name] = value;
            }
        }
        return instance;
    }
}
